import type { MarkupResults, MarkupParams, MarkupMethod } from '../markup/messages.ts';
import { WorkerClient } from './worker-client.ts';

/** Client of the worker for markup and styles. */
export type MarkupClient = WorkerClient<MarkupParams, MarkupResults>;

const priority: readonly MarkupMethod[] = [
  'completions',
  'completion',
  'description',
  'definitions',
  'references',
  'renaming',
  'rename',
  'colorPresentation',
  'fixes',
  'documentColor',
  'problems',
];

/** Files whose text the worker reads. Of others it gets only the path. */
const isNeeded = (path: string) =>
  /\.(?:html?|vue|svelte|p?css|postcss|scss|less|[cm]?[jt]s|[jt]sx)$/.test(path);

/** @param files The project's texts. Returns the same map while nothing has changed. */
export function createMarkupClient(files: () => ReadonlyMap<string, string>): MarkupClient {
  return new WorkerClient<MarkupParams, MarkupResults>({
    files,
    onChange: () => undefined,
    openWorker: () =>
      new Worker(new URL('../markup/markup-worker.ts', import.meta.url), { type: 'module' }),
    selectText: (path, text) => (isNeeded(path) ? text : ''),
    priority,
  });
}
