/** Turns a frame's error reports into diagnostics. Loaded with the first error. */
import type { RuntimeProblem } from '../problem-messages.ts';
import { describeThrown } from './describe-thrown.ts';
import type { CodeProblem, Problem } from './preview-state.ts';
import type { ProjectView } from './project-view.ts';
import { describeUnloaded } from './unloaded-words.ts';

/** Describes an error; undefined if it only follows from one of the `known` diagnostics. */
export function describeRuntime(
  reported: RuntimeProblem,
  project: ProjectView,
  known: readonly Problem[],
): CodeProblem | undefined {
  if (isConsequence(reported, known)) return undefined;
  return reported.kind === 'resource'
    ? describeUnloaded(reported, project)
    : describeThrown(reported, project);
}

function isConsequence(reported: RuntimeProblem, known: readonly Problem[]): boolean {
  if (reported.kind === 'resource')
    // A script whose imports are missing fails to load too.
    return reported.by === 'script' && known.some(preventsLoading);
  if (/Failed to resolve module specifier|was a bare specifier/.test(reported.sentence))
    return known.some(({ kind }) => kind === 'package');
  // The compiler has reported the syntax error. Other scripts of the page run, and may throw.
  return (
    reported.sentence.startsWith('SyntaxError') &&
    known.some(
      ({ kind, severity, path }) =>
        kind === 'syntax' && severity === undefined && path === reported.path,
    )
  );
}

function preventsLoading({ kind, severity, path }: Problem): boolean {
  return severity === undefined && path !== '' && ['syntax', 'package', 'resource'].includes(kind);
}
