/** Prettier in a thread of its own, for the projects of one page. Nothing of a project is run. */
import { FormatProject } from './format-project.ts';
import type { FormatMessage, FormatRequest } from './messages.ts';

const project = new FormatProject();

onmessage = ({ data }: MessageEvent<FormatRequest>) => {
  if (data.type === 'ask') void settle(data);
  else project.changeFiles(data.changed, data.removed);
};

async function settle({ id, ask }: Extract<FormatRequest, { type: 'ask' }>): Promise<void> {
  try {
    say({ type: 'answer', id, answer: await project.format(ask.at) });
  } catch (error) {
    // An edge: Prettier has mistakes of its own, and the next file may go well.
    say({ type: 'failed', id, reason: String(error) });
  }
}

function say(message: FormatMessage): void {
  postMessage(message);
}
