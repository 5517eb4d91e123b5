/**
 * Runs the language services for markup and styles in a worker, for the project of one page. It
 * knows only what it is sent.
 */
import { handleMarkupCall, createMarkupHandlers } from './handlers.ts';
import type { MarkupCall, MarkupMessage, MarkupRequest } from './messages.ts';
import { MarkupProject } from './markup-project.ts';
import { createMarkupContext } from './services.ts';

const files = new MarkupProject();
const handlers = createMarkupHandlers(createMarkupContext(files));

onmessage = ({ data }: MessageEvent<MarkupRequest>) => {
  if (data.type === 'files') files.changeFiles(data.changed, data.removed);
  else void handleRequest(data.id, data.ask);
};

async function handleRequest(id: number, ask: MarkupCall): Promise<void> {
  try {
    post({ type: 'answer', id, answer: await handleMarkupCall(handlers, ask) });
  } catch (error) {
    // Boundary: the language services may throw on their own bugs, and the next request may work.
    post({ type: 'failed', id, reason: String(error) });
  }
}

function post(message: MarkupMessage): void {
  postMessage(message);
}
