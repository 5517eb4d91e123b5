import { usePageSettings } from '../session/page-settings.ts';
import { ButtonLink } from '../ui/button.tsx';

/** Where to find a message that this instance cannot send; nothing where a mail server sends it. */
export function MailDelivery() {
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
