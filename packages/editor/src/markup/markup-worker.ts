/**
 * Runs the language services for markup and styles in a worker, for the project of one page. It
 * knows only what it is sent.
 */
import { answer, createAnswers } from './answers.ts';
import type { MarkupAsk, MarkupMessage, MarkupRequest } from './messages.ts';
import { ProjectFiles } from './project-files.ts';
import { createKnown } from './services.ts';

const files = new ProjectFiles();
const handlers = createAnswers(createKnown(files));

onmessage = ({ data }: MessageEvent<MarkupRequest>) => {
  if (data.type === 'files') files.change(data.changed, data.removed);
  else void handleRequest(data.id, data.ask);
};

async function handleRequest(id: number, ask: MarkupAsk): Promise<void> {
  try {
    post({ type: 'answer', id, answer: await answer(handlers, ask) });
  } catch (error) {
    // Boundary: the language services may throw on their own bugs, and the next request may work.
    post({ type: 'failed', id, reason: String(error) });
  }
}

function post(message: MarkupMessage): void {
  postMessage(message);
}
