/**
 * A project's files in the service worker of its test origin. They form a run of their own, separate from
 * the preview's (P-11, P-12).
 */
import { parseStoreResponse, type StoreResponse, type ToFrame } from '../../protocol.ts';
import { createRunId } from '../../run-urls.ts';
import type { FrameConnection } from '../frame-connection.ts';
import type { ModuleStore } from '../module-store.ts';

export interface TestFileStore {
  readonly run: string;
  /** Sends the service worker what it lacks, through a frame. Resolves early when the signal aborts. */
  sync(frame: FrameConnection, signal: AbortSignal): Promise<void>;
}

export function createTestFileStore(moduleStore: ModuleStore): TestFileStore {
  const run = createRunId();
  /** Version that the service worker holds; null if none or unknown. */
  let stored: number | null = null;

  return {
    run,
    async sync(frame, signal) {
      while (stored !== moduleStore.version && !signal.aborted) {
        const { version } = moduleStore;
        const base = stored;
        const { changed, removed } =
          base === null ? { changed: moduleStore.paths, removed: [] } : moduleStore.since(base);
        const needed = new Set(changed);
        // Without the version queries of the preview: each test document starts fresh.
        const files = moduleStore.outputs().filter(({ path }) => needed.has(path));
        const message = { type: 'store', run, base, version, files, removed } as const;
        const answer = await request(frame, { type: 'relay', message }, signal);
        if (answer) stored = answer.type === 'stored' ? answer.version : null;
      }
    },
  };
}

function request(
  frame: FrameConnection,
  message: ToFrame,
  signal: AbortSignal,
): Promise<StoreResponse | undefined> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    const end = (answer: StoreResponse | undefined) => {
      port1.close();
      resolve(answer);
    };
    signal.addEventListener('abort', () => end(undefined), { once: true });
    port1.onmessage = ({ data }: MessageEvent<unknown>) => end(parseStoreResponse(data));
    frame.send(message, [port2]);
  });
}
