import { catalogue, type ErrorCode } from '@vitrine/project';
import { useState } from 'react';
import type { AuthProblem } from '../session/auth-problem.ts';

type Field = NonNullable<AuthProblem['field']>;

export interface Attempt {
  readonly busy: boolean;
  readonly refusals: number;
  /** Trouble that belongs to no field. */
  readonly trouble: AuthProblem | undefined;
  /** The catalogue's sentence for a field, if that is what is wrong. */
  errorOf(field: Field): string | undefined;
  /** Runs one attempt: what it returns is what went wrong, by field or at all. */
  run(work: () => Promise<readonly AuthProblem[]>): Promise<void>;
}

/** The state of a form that is sent to the auth server. */
export function useAttempt(): Attempt {
  const [busy, setBusy] = useState(false);
  const [problems, setProblems] = useState<readonly AuthProblem[]>([]);
  const [refusals, setRefusals] = useState(0);
  return {
    busy,
    refusals,
    trouble: problems.find((problem) => problem.field === undefined),
    errorOf(field) {
      const problem = problems.find((candidate) => candidate.field === field);
      return problem && catalogue[problem.code].sentence;
    },
    async run(work) {
      setBusy(true);
      try {
        const found = await work();
        setProblems(found);
        if (found.length > 0) setRefusals((count) => count + 1);
      } finally {
        setBusy(false);
      }
    },
  };
}

/** [field, code or nothing] pairs → the problems among them. */
export function fieldProblems(
  checks: readonly (readonly [Field, ErrorCode | undefined])[],
): AuthProblem[] {
  return checks.flatMap(([field, code]) => (code ? [{ field, code }] : []));
}

/** What is plainly no e-mail address; the backend decides about the rest. */
export function findEmailProblem(email: string): ErrorCode | undefined {
  return /^[^\s@]+@[^\s@]+$/.test(email) ? undefined : 'email_invalid';
}
