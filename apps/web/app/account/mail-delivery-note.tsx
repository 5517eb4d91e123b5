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
      This instance isn’t set up to send email. Ask your administrator for the link or code. If
      you’re the administrator, open the outbox link in the server’s startup output.
    </p>
  );
}
