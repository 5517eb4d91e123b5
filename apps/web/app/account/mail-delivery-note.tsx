import { usePageSettings } from '../session/page-settings.ts';
import { ButtonLink } from '../ui/button.tsx';

/**
 * Says where to find an email that this instance can't send. Empty if a mail server is configured.
 */
export function MailDeliveryNote() {
  const { mailDelivery } = usePageSettings();
  if (mailDelivery === 'sent') return null;
  if (mailDelivery === 'outbox') {
    return (
      <div>
        <ButtonLink to="/outbox">Open the outbox</ButtonLink>
      </div>
    );
  }
  return (
    <p>
      This instance can’t send email yet. Ask your administrator for the message. If that’s you,
      open the outbox link from the server’s startup output.
    </p>
  );
}
