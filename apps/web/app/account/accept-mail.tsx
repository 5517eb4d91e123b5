import { useNavigate, useRevalidator } from 'react-router';
import { withNext } from '../session/next-path.ts';
import { beginRecovery, recoveryPath } from '../session/recovery.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { useHydrated } from '../ui/hydrated.ts';
import { AccountPage } from './account-page.tsx';
import { useAttempt } from './attempt.ts';

/** What a mail that no browser has asked for may be for, and what is pressed for it. */
const acts = {
  invite: {
    title: 'You’re invited',
    intro: 'Your administrator created an account for you.',
    button: 'Accept invitation',
  },
  magiclink: { title: 'Sign in', intro: 'This signs you in on this browser.', button: 'Sign in' },
  signup: {
    title: 'Confirm your email',
    intro: 'This signs you in on this browser.',
    button: 'Confirm email',
  },
} as const;

const elsewhereIntro =
  'This account was created in a different browser, by you or by someone else with your email address. Confirm to sign in here and choose a password.';

export interface Token {
  readonly type: keyof typeof acts;
  readonly hash: string;
}

/** The token in an address; undefined where it has none. */
export function findToken(parameters: URLSearchParams): Token | undefined {
  const [type, hash] = [parameters.get('type'), parameters.get('token_hash')];
  return hash && isType(type) ? { type, hash } : undefined;
}

function isType(type: string | null): type is Token['type'] {
  return type !== null && Object.hasOwn(acts, type);
}

interface AcceptMailProps {
  token: Token;
  next: string;
  /** Another browser has signed up: the password that was chosen there goes with this one's word. */
  isElsewhere?: boolean;
}

/** Uses the token of a mail when a person presses the button: mail scanners press none. */
export function AcceptMail({ token, next, isElsewhere = false }: AcceptMailProps) {
  const navigate = useNavigate();
  const { revalidate } = useRevalidator();
  const ready = useHydrated();
  const { busy, trouble, send } = useAttempt();
  const { title, intro, button } = acts[token.type];
  const accept = () =>
    send([], async (auth) => {
      const { error } = await auth.verifyOtp({ type: token.type, token_hash: token.hash });
      if (error) return error;
      if (isElsewhere) beginRecovery();
      await revalidate();
      await navigate(isElsewhere ? recoveryPath : withNext('/auth/sign-in', next), {
        replace: true,
      });
      return null;
    });
  return (
    <AccountPage title={title} intro={<p>{isElsewhere ? elsewhereIntro : intro}</p>}>
      <Button variant="primary" busy={busy} disabled={!ready} onClick={() => void accept()}>
        {button}
      </Button>
      {trouble && <ErrorNotice code={trouble.code} details={trouble.details} />}
    </AccountPage>
  );
}
