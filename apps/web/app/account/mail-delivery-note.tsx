import { usePageSettings } from '../session/page-settings.ts';
import { ButtonLink } from '../ui/button.tsx';

/** Says where to read emails while no mail server is configured. Renders nothing if one is. */
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
  // Emails are kept in the outbox, without access for this browser.
  return (
    <p>
      This instance isn’t set up to send email. Ask your administrator for the link or code. If
      you’re the administrator, open the outbox link in the server’s startup output.
    </p>
  );
}
