import { ButtonLink } from '../ui/button.tsx';

/** Where mail goes as long as no mail server is set. */
export function OutboxLink() {
  return (
    <div>
      <ButtonLink to="/outbox">Open the outbox of this computer</ButtonLink>
    </div>
  );
}
