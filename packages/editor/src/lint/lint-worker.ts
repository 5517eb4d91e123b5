/**
 * Rules for scripts, stylesheets, pages and data in a thread of their own, for the projects of one
 * page. Nothing of a project is run: of its config only what is data is read.
 */
import { listGlobalNames } from './global-names.ts';
import { LintProject } from './lint-project.ts';
import type { LintMessage, LintRequest } from './messages.ts';

const project = new LintProject();

onmessage = ({ data }: MessageEvent<LintRequest>) => {
  switch (data.type) {
    case 'names':
      // A script may run in a worker as well.
      project.setNames([...data.names, ...listGlobalNames()]);
      return undefined;
    case 'files':
      project.changeFiles(data.changed, data.removed);
      return undefined;
    case 'ask':
      return void settle(data);
  }
};

async function settle({ id, ask }: Extract<LintRequest, { type: 'ask' }>): Promise<void> {
  try {
    const answer =
      ask.kind === 'fixes' ? await project.fixes(ask.at) : await project.problems(ask.at);
    say({ type: 'answer', id, answer });
  } catch (error) {
    // An edge: rules have mistakes of their own, and the next file may go well.
    say({ type: 'failed', id, reason: String(error) });
  }
}

function say(message: LintMessage): void {
  postMessage(message);
}
