import { findErrorCode, type ErrorCode } from '@vitrine/project';
import { whenRetryDue } from '@vitrine/project/retry-loading';
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
    const [failure, setFailure] = useState<ErrorCode>();
    const isWaiting = Component === undefined && failure === undefined;
    useEffect(() => {
      if (!isWaiting) return;
      let isMounted = true;
      const start = async () => {
        loaded = (await load()).default;
        if (isMounted) setComponent(() => loaded);
      };
      start().catch((error: unknown) => isMounted && setFailure(findErrorCode(error)));
      return () => void (isMounted = false);
    }, [isWaiting]);
    const isRetried = failure !== undefined && failure !== 'page_outdated';
    useEffect(() => {
      if (!isRetried) return;
      const controller = new AbortController();
      const { signal } = controller;
      void whenRetryDue(signal).then(() => signal.aborted || setFailure(undefined));
      return () => controller.abort();
    }, [isRetried]);
    if (Component) return <Component {...props} />;
    if (failure === undefined || isSilent) return fallback;
    return (
      <ErrorNotice code={failure}>
        {isRetried ? (
          <Button size="small" onClick={() => setFailure(undefined)}>
            Try again
          </Button>
        ) : (
          <Button size="small" onClick={() => location.reload()}>
            Reload
          </Button>
        )}
      </ErrorNotice>
    );
  };
}
