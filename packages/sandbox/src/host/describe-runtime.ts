/** Words for what a frame tells; loaded with the first thing that goes wrong. */
import type { RuntimeProblem } from '../problem-messages.ts';
import { describeThrown } from './describe-thrown.ts';
import type { CodeProblem, Problem } from './preview-state.ts';
import type { ProjectView } from './project-view.ts';
import { describeUnloaded } from './unloaded-words.ts';

/** Undefined for the echo of something that was told already, and better: see `told`. */
export function describeRuntime(
  said: RuntimeProblem,
  project: ProjectView,
  told: readonly Problem[],
): CodeProblem | undefined {
  if (isEcho(said, told)) return undefined;
  return said.kind === 'resource' ? describeUnloaded(said, project) : describeThrown(said, project);
}

function isEcho(said: RuntimeProblem, told: readonly Problem[]): boolean {
  if (said.kind === 'resource')
    // A script whose imports are not there did not load either.
    return said.by === 'script' && told.some(keepsFromLoading);
  if (/Failed to resolve module specifier|was a bare specifier/.test(said.sentence))
    return told.some(({ kind }) => kind === 'package');
  // The compiler has reported the mistake. Other scripts of the same page run, and may throw.
  return (
    said.sentence.startsWith('SyntaxError') &&
    told.some(
      ({ kind, severity, path }) =>
        kind === 'syntax' && severity === undefined && path === said.path,
    )
  );
}

function keepsFromLoading({ kind, severity, path }: Problem): boolean {
  return severity === undefined && path !== '' && ['syntax', 'package', 'resource'].includes(kind);
}
