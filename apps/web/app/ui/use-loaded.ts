import { findErrorCode, type ErrorCode } from '@vitrine/project';
import { useEffect, useEffectEvent, useState } from 'react';

interface Result<T> {
  readonly key: unknown;
  /** Number of the attempt to load it. */
  readonly attempt: number;
  readonly value?: T;
  readonly failure?: ErrorCode;
}

interface Loaded<T> {
  readonly value: T | undefined;
  readonly failure: ErrorCode | undefined;
  readonly retry: () => void;
}

/**
 * Loads a value when the component is mounted and when its key changes, which is compared by identity.
 * Until it has loaded or failed, there is neither a value nor a failure, also not that of another key.
 */
export function useLoaded<T>(key: unknown, load: () => Promise<T>): Loaded<T> {
  const [attempt, setAttempt] = useState(0);
  const [result, setResult] = useState<Result<T>>();
  const start = useEffectEvent(load);
  useEffect(() => {
    let isCurrent = true;
    start().then(
      (value) => isCurrent && setResult({ key, attempt, value }),
      (error: unknown) => isCurrent && setResult({ key, attempt, failure: findErrorCode(error) }),
    );
    return () => void (isCurrent = false);
  }, [key, attempt]);
  const isShown = result !== undefined && result.key === key && result.attempt === attempt;
  const shown = isShown ? result : undefined;
  return { value: shown?.value, failure: shown?.failure, retry: () => setAttempt(attempt + 1) };
}
