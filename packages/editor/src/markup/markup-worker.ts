/**
 * What understands markup and styles in a thread of its own, for the project of one page. What it
 * knows of a project it is sent.
 */
import { answer, createAnswers } from './answers.ts';
import type { MarkupAsk, MarkupMessage, MarkupRequest } from './messages.ts';
import { ProjectFiles } from './project-files.ts';
import { createKnown } from './services.ts';

const files = new ProjectFiles();
const answers = createAnswers(createKnown(files));

onmessage = ({ data }: MessageEvent<MarkupRequest>) => {
  if (data.type === 'files') files.change(data.changed, data.removed);
  else void settle(data.id, data.ask);
};

async function settle(id: number, ask: MarkupAsk): Promise<void> {
  try {
    say({ type: 'answer', id, answer: await answer(answers, ask) });
  } catch (error) {
    // An edge: the language services have mistakes of their own, and the next question may go well.
    say({ type: 'failed', id, reason: String(error) });
  }
}

function say(message: MarkupMessage): void {
  postMessage(message);
}
