import type { ReactNode } from 'react';
import { callbackPath, withNext } from '../session/next-path.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { useHydrated } from '../ui/hydrated.ts';
import { useAttempt } from './attempt.ts';
import styles from './other-ways.module.css';
import { isProvider, nameProvider } from './provider-names.ts';

interface OtherWaysProps {
  /** OAuth providers that are enabled on this instance. */
  providers: readonly string[];
  origin: string;
  next: string;
  /** Sign-in methods without a provider, listed first. */
  children?: ReactNode;
}

/** Sign-in methods below a form. A provider's button redirects there, and back to `next`. */
export function OtherWays({ providers, origin, next, children }: OtherWaysProps) {
  const { busy, trouble, send } = useAttempt();
  const ready = useHydrated();
  if (providers.length === 0 && !children) return null;
  const signIn = (provider: string) =>
    send([], async (auth) => {
      if (!isProvider(provider)) throw new Error(`not a provider: ${provider}`);
      const redirectTo = origin + withNext(callbackPath, next);
      const { error } = await auth.signInWithOAuth({ provider, options: { redirectTo } });
      return error;
    });
  return (
    <div className={styles.methods}>
      <p className={styles.or}>or</p>
      {children}
      {providers.map((provider) => (
        <Button key={provider} disabled={!ready || busy} onClick={() => void signIn(provider)}>
          Continue with {nameProvider(provider)}
        </Button>
      ))}
      {trouble && <ErrorNotice code={trouble.code} details={trouble.details} />}
    </div>
  );
}
