import { findErrorCode, type ErrorCode } from '@vitrine/project';
import { isLoadFailure, whenRetryDue } from '@vitrine/project/retry-loading';
import { useEffect, useState, type ComponentType, type ReactNode } from 'react';
import { Button } from './button.tsx';
import { ErrorNotice } from './error-notice.tsx';

interface LoadableOptions {
  /** Shown until the component has loaded. */
  readonly fallback?: ReactNode;
  /** Shows the fallback if loading fails, because a component beside it shows the error. */
  readonly isSilent?: true;
}

/**
 * Creates a component whose code is loaded when it's first shown. If that fails, an error with a
 * button to retry is shown in its place until the connection is back: unlike `React.lazy`, it
 * doesn't remember failures.
 */
export function loadable<Props extends object>(
  load: () => Promise<{ default: ComponentType<Props> }>,
  { fallback = null, isSilent }: LoadableOptions = {},
): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined;
  return function Loadable(props: Props) {
    const [Component, setComponent] = useState(() => loaded);
    const [attempt, setAttempt] = useState(0);
    /** Why the last attempt failed. Stays during the next, so that nothing flickers. */
    const [failure, setFailure] = useState<ErrorCode>();
    useEffect(() => {
      if (Component) return;
      const controller = new AbortController();
      const { signal } = controller;
      const start = async () => {
        loaded = (await load()).default;
        if (!signal.aborted) setComponent(() => loaded);
      };
      start().catch(async (error: unknown) => {
        if (signal.aborted) return;
        setFailure(findErrorCode(error));
        if (!isLoadFailure(error)) return;
        await whenRetryDue(signal);
        if (!signal.aborted) setAttempt(attempt + 1);
      });
      return () => controller.abort();
    }, [attempt, Component]);
    if (Component) return <Component {...props} />;
    if (failure === undefined || isSilent) return fallback;
    return (
      <ErrorNotice code={failure}>
        {failure === 'page_outdated' ? (
          <Button size="small" onClick={() => location.reload()}>
            Reload
          </Button>
        ) : (
          <Button size="small" onClick={() => setAttempt(attempt + 1)}>
            Try again
          </Button>
        )}
      </ErrorNotice>
    );
  };
}
