/** Runs Prettier in a worker, for the projects of one page. No code of a project is run. */
import { FormatProject } from './format-project.ts';
import type { FormatMessage, FormatRequest } from './messages.ts';

const project = new FormatProject();

onmessage = ({ data }: MessageEvent<FormatRequest>) => {
  if (data.type === 'ask') void handleRequest(data);
  else project.changeFiles(data.changed, data.removed);
};

async function handleRequest({ id, ask }: Extract<FormatRequest, { type: 'ask' }>): Promise<void> {
  try {
    post({ type: 'answer', id, answer: await project.format(ask.at) });
  } catch (error) {
    // Boundary: Prettier may throw on its own bugs, and other files may still work.
    post({ type: 'failed', id, reason: String(error) });
  }
}

function post(message: FormatMessage): void {
  postMessage(message);
}
