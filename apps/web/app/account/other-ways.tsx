import type { ReactNode } from 'react';
import { callbackPath, withNext } from '../session/next-path.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { useHydrated } from '../ui/hydrated.ts';
import { useAttempt } from './attempt.ts';
import styles from './other-ways.module.css';
import { isProvider, nameProvider } from './provider-names.ts';

interface OtherWaysProps {
  /** Those that are turned on. */
  providers: readonly string[];
  origin: string;
  next: string;
  /** Ways of our own, above those of others. */
  children?: ReactNode;
}

/** Beneath a form: what else there is. Each provider's button leads there, and back to `next`. */
export function OtherWays({ providers, origin, next, children }: OtherWaysProps) {
  const { busy, trouble, send } = useAttempt();
  const ready = useHydrated();
  if (providers.length === 0 && !children) return null;
  const leave = (provider: string) =>
    send([], async (auth) => {
      if (!isProvider(provider)) throw new Error(`${provider} is no provider`);
      const redirectTo = origin + withNext(callbackPath, next);
      const { error } = await auth.signInWithOAuth({ provider, options: { redirectTo } });
      return error;
    });
  return (
    <div className={styles.ways}>
      <p className={styles.or}>or</p>
      {children}
      {providers.map((provider) => (
        <Button key={provider} disabled={!ready || busy} onClick={() => void leave(provider)}>
          Continue with {nameProvider(provider)}
        </Button>
      ))}
      {trouble && <ErrorNotice code={trouble.code} details={trouble.details} />}
    </div>
  );
}
