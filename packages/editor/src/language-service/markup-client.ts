import type { MarkupAnswered, MarkupAsked, MarkupKind } from '../markup/messages.ts';
import { WorkerClient } from './worker-client.ts';

/** Asks the worker that understands the project's markup and styles. */
export type MarkupClient = WorkerClient<MarkupAsked, MarkupAnswered>;

const order: readonly MarkupKind[] = [
  'completions',
  'completion',
  'description',
  'definitions',
  'references',
  'renaming',
  'rename',
  'recolouring',
  'fixes',
  'colours',
  'problems',
];

/** What names classes and the like; of all other files their paths are enough. */
const isRead = (path: string) =>
  /\.(?:html?|vue|svelte|css|scss|less|[cm]?[jt]s|[jt]sx)$/.test(path);

/** `files` are the project's texts; the same map while nothing has changed. */
export function createMarkupClient(files: () => ReadonlyMap<string, string>): MarkupClient {
  return new WorkerClient<MarkupAsked, MarkupAnswered>({
    files,
    onChange: () => undefined,
    openWorker: () =>
      new Worker(new URL('../markup/markup-worker.ts', import.meta.url), { type: 'module' }),
    take: (path, text) => (isRead(path) ? text : ''),
    order,
  });
}
