import { useNavigate, useRevalidator } from 'react-router';
import { withNextPath } from '../../session/next-path.ts';
import { startRecovery, recoveryPath } from '../../session/recovery.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { useHydrated } from '../../ui/hydrated.ts';
import { AuthPage } from './auth-page.tsx';
import { useAuthForm } from '../use-auth-form.ts';

/** Screen text for each type of email link that carries a token instead of a code. */
const linkTypes = {
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

const otherBrowserIntro =
  'This account was created in a different browser, either by you or by someone using your email address. Confirm to sign in here and choose a password.';

/** A single-use token that the auth server put into an email link. */
interface EmailLinkToken {
  readonly type: keyof typeof linkTypes;
  readonly hash: string;
}

/** Parses the parameters of the link's URL; undefined when they hold no token. */
export function findEmailLinkToken(parameters: URLSearchParams): EmailLinkToken | undefined {
  const [type, hash] = [parameters.get('type'), parameters.get('token_hash')];
  return hash && isType(type) ? { type, hash } : undefined;
}

function isType(type: string | null): type is EmailLinkToken['type'] {
  return type !== null && Object.hasOwn(linkTypes, type);
}

interface AcceptMailProps {
  token: EmailLinkToken;
  next: string;
  /** Whether the sign-up happened in another browser. Its password is discarded on confirmation. */
  isOtherBrowser?: boolean;
}

/** Redeems an email link's token on a button press, because mail scanners open links. */
export function AcceptEmailLink({ token, next, isOtherBrowser = false }: AcceptMailProps) {
  const navigate = useNavigate();
  const { revalidate } = useRevalidator();
  const ready = useHydrated();
  const { busy, formError, submit } = useAuthForm();
  const { title, intro, button } = linkTypes[token.type];
  const accept = () =>
    submit([], async (auth) => {
      const { error } = await auth.verifyOtp({ type: token.type, token_hash: token.hash });
      if (error) return error;
      if (isOtherBrowser) startRecovery();
      await revalidate();
      await navigate(isOtherBrowser ? recoveryPath : withNextPath('/auth/sign-in', next), {
        replace: true,
      });
      return null;
    });
  return (
    <AuthPage title={title} intro={<p>{isOtherBrowser ? otherBrowserIntro : intro}</p>}>
      <Button variant="primary" busy={busy} disabled={!ready} onClick={() => void accept()}>
        {button}
      </Button>
      {formError && <ErrorNotice code={formError.code} details={formError.details} />}
    </AuthPage>
  );
}
