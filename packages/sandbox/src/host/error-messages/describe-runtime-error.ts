/** Turns a frame's error reports into diagnostics. Loaded with the first error. */
import type { RuntimeError } from '../../runtime-error-messages.ts';
import { describeUncaughtError } from './describe-uncaught-error.ts';
import { findSyntaxError, type SourceDiagnostic, type PreviewDiagnostic } from '../diagnostics.ts';
import type { ProjectView } from '../project-view.ts';
import { describeLoadError } from './describe-load-error.ts';

/** Describes an error; undefined if it only follows from one of the `known` diagnostics. */
export function describeRuntimeError(
  reported: RuntimeError,
  project: ProjectView,
  known: readonly PreviewDiagnostic[],
): SourceDiagnostic | undefined {
  if (isConsequence(reported, known)) return undefined;
  return reported.kind === 'resource'
    ? describeLoadError(reported, project)
    : describeUncaughtError(reported, project);
}

function isConsequence(reported: RuntimeError, known: readonly PreviewDiagnostic[]): boolean {
  if (reported.kind === 'resource')
    // A script whose imports are missing fails to load too.
    return reported.by === 'script' && known.some(preventsLoading);
  if (/Failed to resolve module specifier|was a bare specifier/.test(reported.message))
    return known.some(({ kind }) => kind === 'package');
  // The compiler has reported the syntax error. Other scripts of the page run, and may throw.
  return (
    reported.message.startsWith('SyntaxError') &&
    findSyntaxError(known, reported.path) !== undefined
  );
}

function preventsLoading({ kind, severity, path }: PreviewDiagnostic): boolean {
  return severity === undefined && path !== '' && ['syntax', 'package', 'resource'].includes(kind);
}
