import { callbackPath, withNext } from '../session/next-path.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { useHydrated } from '../ui/hydrated.ts';
import { useAttempt } from './attempt.ts';
import styles from './provider-buttons.module.css';
import { isProvider, nameProvider } from './provider-names.ts';

interface ProviderButtonsProps {
  /** Those that are turned on; without any, nothing is shown. */
  providers: readonly string[];
  origin: string;
  next: string;
}

/** The ways to sign in or up that are another's: each leads there, and back to `next`. */
export function ProviderButtons({ providers, origin, next }: ProviderButtonsProps) {
  const { busy, trouble, send } = useAttempt();
  const ready = useHydrated();
  if (providers.length === 0) return null;
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
      {providers.map((provider) => (
        <Button key={provider} disabled={!ready || busy} onClick={() => void leave(provider)}>
          Continue with {nameProvider(provider)}
        </Button>
      ))}
      {trouble && <ErrorNotice code={trouble.code} details={trouble.details} />}
    </div>
  );
}
