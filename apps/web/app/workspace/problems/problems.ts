import { isTestPath } from '@vitrine/project';
import type { PreviewDiagnostic, SourceLocation } from '@vitrine/sandbox/host';

/** A button that fixes a problem. */
interface QuickFixButton {
  readonly label: string;
  run(): void;
}

/** An item of the Problems tab: an error, a warning or a notice. */
export interface ListedProblem extends SourceLocation {
  /** `type`: reported by TypeScript, so the code may still run. `rule`: reported by lint. */
  readonly kind: PreviewDiagnostic['kind'] | 'notice' | 'type' | 'rule';
  readonly endLine?: number;
  readonly endColumn?: number;
  readonly message: string;
  readonly severity?: 'warning';
  /** An earlier version of the file, which compiled, runs instead. */
  readonly runsEarlierVersion?: boolean;
  /** File that failed to load, if it exists: one of its imports may be the cause. */
  readonly module?: string;
  /** Name of the lint rule. */
  readonly rule?: string;
  /** Quick fixes, the most likely one first. */
  readonly quickFixes?: readonly QuickFixButton[];
}

/** Severity. Notices are informational; everything else is an error unless marked as a warning. */
export function severityOf({ kind, severity }: ListedProblem): 'error' | 'warning' | 'info' {
  return kind === 'notice' ? 'info' : (severity ?? 'error');
}

/** True if the problem keeps a file from compiling. Errors elsewhere may result from it. */
export function blocksCompilation(problem: ListedProblem): boolean {
  return problem.kind === 'syntax' && severityOf(problem) === 'error';
}

/**
 * True if the problem may keep the page from running. Type errors, lint findings and test files
 * don't.
 */
export function isAboutPage({ kind, path }: ListedProblem): boolean {
  return kind !== 'type' && kind !== 'rule' && !isTestPath(path);
}
