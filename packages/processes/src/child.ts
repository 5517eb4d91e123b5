/** The program's side of a pool. */
import type { FromProgram, ToProgram } from './messages.ts';

/** What a request can do besides returning its result. */
export interface RequestTools {
  /**
   * Starts the time limits of the request, once what it needs is loaded. `spentMs` of the time so far
   * count, too.
   */
  start(spentMs?: number): void;
  /** Sends a notice to the caller of the request. */
  notify(notice: unknown): void;
}

/**
 * Answers the requests of the pool that started this process, one after the other. The process ends
 * with the one that started it.
 *
 * @param onNotice Called with every notice of the pool, also while a request is running.
 */
export function answerRequests(
  answer: (request: unknown, tools: RequestTools) => unknown,
  onNotice: (notice: unknown) => void = () => {},
): void {
  const tools: RequestTools = {
    start: (spentMs = 0) => post({ type: 'started', spentMs }),
    notify: (notice) => post({ type: 'notice', notice }),
  };
  const respond = async (request: unknown) => {
    try {
      post({ type: 'result', result: await answer(request, tools) });
    } catch (error) {
      const { name, message } = error instanceof Error ? error : new Error(String(error));
      post({ type: 'threw', name, message });
    }
  };
  process.on('message', (message: ToProgram) => {
    if (message.type === 'notice') onNotice(message.notice);
    else void respond(message.request);
  });
  process.on('disconnect', () => process.exit(0));
}

function post(message: FromProgram): void {
  process.send?.(message);
}
