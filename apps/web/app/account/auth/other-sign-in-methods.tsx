import type { ReactNode } from 'react';
import { callbackPath, withNextPath } from '../../session/next-path.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { useHydrated } from '../../ui/hydrated.ts';
import { useAuthForm } from '../use-auth-form.ts';
import styles from './other-sign-in-methods.module.css';
import { isOAuthProvider, getProviderName } from '../provider-names.ts';

interface OtherSignInMethodsProps {
  /** OAuth providers that are enabled on this instance. */
  providers: readonly string[];
  origin: string;
  next: string;
  /** Sign-in methods without a provider, listed first. */
  children?: ReactNode;
}

/** Sign-in methods below a form. A provider's button redirects there, and back to `next`. */
export function OtherSignInMethods({ providers, origin, next, children }: OtherSignInMethodsProps) {
  const { busy, formError, submit } = useAuthForm();
  const ready = useHydrated();
  if (providers.length === 0 && !children) return null;
  const signIn = (provider: string) =>
    submit([], async (auth) => {
      if (!isOAuthProvider(provider)) throw new Error(`not a provider: ${provider}`);
      const redirectTo = origin + withNextPath(callbackPath, next);
      const { error } = await auth.signInWithOAuth({ provider, options: { redirectTo } });
      return error;
    });
  return (
    <div className={styles.methods}>
      <p className={styles.or}>or</p>
      {children}
      {providers.map((provider) => (
        <Button key={provider} disabled={!ready || busy} onClick={() => void signIn(provider)}>
          Continue with {getProviderName(provider)}
        </Button>
      ))}
      {formError && <ErrorNotice code={formError.code} details={formError.details} />}
    </div>
  );
}
