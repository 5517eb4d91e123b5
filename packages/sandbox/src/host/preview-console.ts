/**
 * The console of a preview: what its documents say, and what is asked of the one that runs. A
 * question is answered once: by the page, or here, when the page has gone or says nothing.
 */
import type { ConsoleAnswer, ConsoleAsk } from '../console-messages.ts';
import type { ConsoleValue } from '../console-values.ts';
import type { ToFrame } from '../protocol.ts';
import { createConsoleLog, type ConsoleLog, type LineMethod } from './console-log.ts';

export interface PreviewConsole {
  /** Asks the document that a line is of; see `Preview.console`. */
  ask(ask: PageAsk, document: number): Promise<PageAnswer>;
  /** Runs code in the page and adds it and what came of it to the log; `shown` is what was typed. */
  evaluate(code: Code): Promise<void>;
  /** Names that could follow a path of properties; none where nobody can say. */
  complete(path: string[]): Promise<string[]>;
  /** Forgets all lines, and lets the page forget what they showed. */
  clear(): void;
  /** Whether lines stay when the page is loaded again. */
  keep(isKept: boolean): void;
}

export interface Code {
  /** As it was typed. */
  shown: string;
  /** What is run in its place; with `awaits` its value is a promise of the result. */
  code: string;
  awaits: boolean;
}

/** What can be asked of something that was logged. */
export type PageAsk = Extract<ConsoleAsk, { kind: 'open' | 'get' }>;
/** `silent`: the page did not answer in time. */
export type PageAnswer = ConsoleAnswer | { kind: 'silent' };

const patienceMs = 3_000;

/** With what the rest of the host tells it. */
export interface ConsoleOfHost extends PreviewConsole {
  readonly log: ConsoleLog;
  hear(id: number, answer: ConsoleAnswer): void;
  /** The document has gone: what was asked of it is not answered any more. */
  abandon(): void;
}

export interface ConsoleOptions {
  send(message: ToFrame): void;
  /** Why the page cannot run anything now, in a sentence. */
  findObstacle(): string | undefined;
  onChange(): void;
}

export function createPreviewConsole({
  send,
  findObstacle,
  onChange,
}: ConsoleOptions): ConsoleOfHost {
  const log = createConsoleLog(onChange);
  const pending = new Map<number, (answer: ConsoleAnswer) => void>();
  let lastId = 0;

  const askPage = (ask: ConsoleAsk): Promise<ConsoleAnswer> => {
    const id = ++lastId;
    return new Promise((resolve) => {
      pending.set(id, resolve);
      send({ type: 'console-ask', id, ask });
    });
  };
  const askInTime = async (ask: ConsoleAsk): Promise<PageAnswer> => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const silence = new Promise<PageAnswer>((resolve) => {
      timer = setTimeout(() => resolve({ kind: 'silent' }), patienceMs);
    });
    const answer = await Promise.race([askPage(ask), silence]);
    clearTimeout(timer);
    return answer;
  };
  const add = (method: LineMethod, value: ConsoleValue) =>
    log.add({ method, values: [value], time: Date.now(), path: '', line: 0, column: 0 });

  return {
    log,
    async ask(ask, document) {
      return document === log.document && !isUnreachable() ? askInTime(ask) : { kind: 'gone' };
    },
    async evaluate({ shown, code, awaits }) {
      add('input', { type: 'text', text: shown });
      const obstacle = findObstacle();
      if (obstacle !== undefined) return add('note', { type: 'text', text: obstacle });
      const answer = await askPage({ kind: 'evaluate', code, awaits });
      if (answer.kind === 'value') add(answer.isThrown ? 'thrown' : 'result', answer.value);
      else add('note', { type: 'text', text: 'The page was closed before it responded.' });
    },
    async complete(path) {
      if (isUnreachable()) return [];
      const answer = await askInTime({ kind: 'complete', path });
      return answer.kind === 'names' ? answer.names : [];
    },
    clear() {
      log.clear();
      send({ type: 'console-ask', id: 0, ask: { kind: 'forget' } });
    },
    keep: (isKept) => log.keep(isKept),
    hear(id, answer) {
      const resolve = pending.get(id);
      pending.delete(id);
      resolve?.(answer);
    },
    abandon() {
      for (const resolve of pending.values()) resolve({ kind: 'gone' });
      pending.clear();
    },
  };

  function isUnreachable(): boolean {
    return findObstacle() !== undefined;
  }
}
