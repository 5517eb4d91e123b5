/**
 * The files of a project as the service worker holds them for its tests: a run of their own, so
 * that the page that is shown has none of it (P-11, P-12).
 */
import { parseStoreAnswer, type StoreAnswer, type ToFrame } from '../../protocol.ts';
import { randomRun } from '../../run-addresses.ts';
import type { Frame } from '../frame.ts';
import type { Sources } from '../sources.ts';

export interface Store {
  readonly run: string;
  /** Brings the service worker up to the sources by way of a frame; ends early with the signal. */
  bring(frame: Frame, signal: AbortSignal): Promise<void>;
}

export function createStore(sources: Sources): Store {
  const run = randomRun();
  /** The version that it holds; null when none, or unknown. */
  let stored: number | null = null;

  return {
    run,
    async bring(frame, signal) {
      while (stored !== sources.version && !signal.aborted) {
        const { version } = sources;
        const base = stored;
        const { changed, removed } =
          base === null ? { changed: sources.paths, removed: [] } : sources.since(base);
        const wanted = new Set(changed);
        // Without the stamps of the page that is shown: each document of tests begins anew.
        const files = sources.forms().filter(({ path }) => wanted.has(path));
        const message = { type: 'store', run, base, version, files, removed } as const;
        const answer = await ask(frame, { type: 'relay', message }, signal);
        if (answer) stored = answer.type === 'stored' ? answer.version : null;
      }
    },
  };
}

function ask(
  frame: Frame,
  message: ToFrame,
  signal: AbortSignal,
): Promise<StoreAnswer | undefined> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    const end = (answer: StoreAnswer | undefined) => {
      port1.close();
      resolve(answer);
    };
    signal.addEventListener('abort', () => end(undefined), { once: true });
    port1.onmessage = ({ data }: MessageEvent<unknown>) => end(parseStoreAnswer(data));
    frame.send(message, [port2]);
  });
}
