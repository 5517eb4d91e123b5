import { findErrorCode, type ErrorCode } from '@vitrine/project';
import { useEffect, useState } from 'react';
import type { ProjectHistory } from './project-history.ts';

interface LoadResult {
  /** Number of the attempt to load it. */
  readonly attempt: number;
  readonly history?: ProjectHistory;
  readonly failure?: ErrorCode;
}

/** Loads a project's history. Neither it nor a failure is set meanwhile. */
export function useHistory(loadHistory: () => Promise<ProjectHistory>) {
  const [attempt, setAttempt] = useState(0);
  const [result, setResult] = useState<LoadResult>();
  useEffect(() => {
    let isCurrent = true;
    loadHistory().then(
      (history) => isCurrent && setResult({ attempt, history }),
      (error: unknown) => isCurrent && setResult({ attempt, failure: findErrorCode(error) }),
    );
    return () => void (isCurrent = false);
  }, [loadHistory, attempt]);
  const shown = result?.attempt === attempt ? result : undefined;
  return {
    history: shown?.history,
    failure: shown?.failure,
    retry: () => setAttempt(attempt + 1),
  };
}
