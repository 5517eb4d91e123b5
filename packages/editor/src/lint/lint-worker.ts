/**
 * Lints scripts, stylesheets, pages and JSON in a worker, for the projects of one page. No code of
 * a project is run: only config files that are data are read.
 */
import { listGlobalNames } from './global-names.ts';
import { LintProject } from './lint-project.ts';
import type { LintMessage, LintRequest } from './messages.ts';

const project = new LintProject();

onmessage = ({ data }: MessageEvent<LintRequest>) => {
  switch (data.type) {
    case 'names':
      // A script may run in a worker, so its globals are added.
      project.setGlobalNames([...data.names, ...listGlobalNames()]);
      return undefined;
    case 'files':
      project.changeFiles(data.changed, data.removed);
      return undefined;
    case 'ask':
      return void handleRequest(data);
  }
};

async function handleRequest({ id, ask }: Extract<LintRequest, { type: 'ask' }>): Promise<void> {
  try {
    const answer =
      ask.kind === 'fixes' ? await project.listFixes(ask.at) : await project.lint(ask.at);
    post({ type: 'answer', id, answer });
  } catch (error) {
    // Boundary: rules may throw on their own bugs, and other files may still work.
    post({ type: 'failed', id, reason: String(error) });
  }
}

function post(message: LintMessage): void {
  postMessage(message);
}
