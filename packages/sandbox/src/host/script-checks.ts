import type { SyntaxProblem } from '@vitrine/compiler';
import { extension } from '@vitrine/project';

/** What a check worker is asked; `kind` says how the text is read. */
export interface CheckRequest {
  id: number;
  kind: CheckKind;
  text: string;
}
export interface CheckAnswer {
  id: number;
  problem: SyntaxProblem | undefined;
}
export type CheckKind = 'either' | 'module' | 'document';

/** How a file must parse before it may run; undefined where nothing needs to. */
export function findCheckKind(path: string, text: string): CheckKind | undefined {
  switch (extension(path)) {
    case 'mjs':
      return 'module';
    case 'js':
      return 'either';
    case 'html':
    case 'htm':
      return /<script/i.test(text) ? 'document' : undefined;
    default:
      return undefined;
  }
}

/**
 * One worker for all previews of the page: parsing a large script takes longer than a frame, and
 * must not be in the way of typing. It starts with the first preview and stays.
 */
let worker: Worker | undefined;
let nextId = 1;
/** Checks on their way, by id; an entry goes when its answer comes. */
const waiting = new Map<number, (problem: SyntaxProblem | undefined) => void>();

export function startScriptChecks(): void {
  if (worker) return;
  worker = new Worker(new URL('./check-worker.ts', import.meta.url), { type: 'module' });
  worker.onmessage = ({ data }: MessageEvent<CheckAnswer>) => {
    waiting.get(data.id)?.(data.problem);
    waiting.delete(data.id);
  };
}

export function checkText(kind: CheckKind, text: string): Promise<SyntaxProblem | undefined> {
  startScriptChecks();
  const request: CheckRequest = { id: nextId++, kind, text };
  return new Promise((resolve) => {
    waiting.set(request.id, resolve);
    worker?.postMessage(request);
  });
}
