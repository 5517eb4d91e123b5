/**
 * Console of a preview: the log of its documents, and requests to the running one. Each request is
 * responded to exactly once: by the page, or here when the page is gone or doesn't respond.
 */
import type { ConsoleResponse, ConsoleRequest } from '../console-messages.ts';
import type { ConsoleValue } from '../console-values.ts';
import type { ToFrame } from '../protocol.ts';
import { ConsoleLog, type LogEntryMethod } from './console-log.ts';

export interface PreviewConsole {
  /** Queries a logged object in the document that logged it. */
  query(query: ObjectQuery, document: number): Promise<ObjectQueryResponse>;
  /** Evaluates code in the page and adds it and its result to the log. */
  evaluate(code: EvaluationInput): Promise<void>;
  /** Property names that complete a path from the global object; empty if unknown. */
  findCompletions(path: string[]): Promise<string[]>;
  /** Removes all log entries and releases the page's objects. */
  clear(): void;
  /** Preserves the log when the page reloads. */
  preserveLog(isKept: boolean): void;
}

interface EvaluationInput {
  /** Text as the user typed it, shown in the log. */
  shown: string;
  /** Code that is evaluated in its place. With `awaits`, its value is a promise that is awaited. */
  code: string;
  awaits: boolean;
}

/** Queries of a logged object. */
export type ObjectQuery = Extract<ConsoleRequest, { kind: 'open' | 'get' }>;
/** `silent`: the page didn't respond in time. */
export type ObjectQueryResponse = ConsoleResponse | { kind: 'silent' };

const responseTimeoutMs = 3_000;

/** The console with the methods that only the host calls. */
export interface HostConsole extends PreviewConsole {
  readonly log: ConsoleLog;
  onResponse(id: number, response: ConsoleResponse): void;
  /** Ends all pending requests, because the document is gone. */
  endPending(): void;
}

interface ConsoleOptions {
  send(message: ToFrame): void;
  /** Sentence that says why the page can't evaluate anything now; undefined if it can. */
  findObstacle(): string | undefined;
  onChange(): void;
}

export function createPreviewConsole({
  send,
  findObstacle,
  onChange,
}: ConsoleOptions): HostConsole {
  const log = new ConsoleLog(onChange);
  const pending = new Map<number, (response: ConsoleResponse) => void>();
  let lastId = 0;

  const sendRequest = (request: ConsoleRequest): Promise<ConsoleResponse> => {
    const id = ++lastId;
    return new Promise((resolve) => {
      pending.set(id, resolve);
      send({ type: 'console-request', id, request });
    });
  };
  const sendRequestWithTimeout = async (request: ConsoleRequest): Promise<ObjectQueryResponse> => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const timeout = new Promise<ObjectQueryResponse>((resolve) => {
      timer = setTimeout(() => resolve({ kind: 'silent' }), responseTimeoutMs);
    });
    const response = await Promise.race([sendRequest(request), timeout]);
    clearTimeout(timer);
    return response;
  };
  const add = (method: LogEntryMethod, value: ConsoleValue) =>
    log.add({ method, values: [value], time: Date.now(), path: '', line: 0, column: 0 });

  return {
    log,
    async query(query, document) {
      return document === log.document && !isUnreachable()
        ? sendRequestWithTimeout(query)
        : { kind: 'gone' };
    },
    async evaluate({ shown, code, awaits }) {
      add('input', { type: 'text', text: shown });
      const reason = findObstacle();
      if (reason !== undefined) return add('note', { type: 'text', text: reason });
      const response = await sendRequest({ kind: 'evaluate', code, awaits });
      if (response.kind === 'value') add(response.isThrown ? 'thrown' : 'result', response.value);
      else add('note', { type: 'text', text: 'The page was closed before it responded.' });
    },
    async findCompletions(path) {
      if (isUnreachable()) return [];
      const response = await sendRequestWithTimeout({ kind: 'complete', path });
      return response.kind === 'names' ? response.names : [];
    },
    clear() {
      log.clear();
      send({ type: 'console-request', id: 0, request: { kind: 'forget' } });
    },
    preserveLog: (isKept) => log.preserve(isKept),
    onResponse(id, response) {
      const resolve = pending.get(id);
      pending.delete(id);
      resolve?.(response);
    },
    endPending() {
      for (const resolve of pending.values()) resolve({ kind: 'gone' });
      pending.clear();
    },
  };

  function isUnreachable(): boolean {
    return findObstacle() !== undefined;
  }
}
