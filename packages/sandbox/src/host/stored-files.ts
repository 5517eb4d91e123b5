import { parseStoreAnswer, type ToFrame } from '../protocol.ts';
import type { Sources } from './sources.ts';

/**
 * What the service worker holds of a run. It is sent what it lacks by way of the document that shows,
 * and nobody waits for its answer: whatever asks it for a version waits there (P-17).
 */
export interface StoredFiles {
  /** It was sent something that it has not answered. */
  readonly isAwaited: boolean;
  /** It may hold something. */
  readonly isBegun: boolean;
  /** Sends what it lacks, in the forms of now. */
  send(): void;
  /** What it holds, as a document shows that it has answered; null where it could not. */
  find(version: number | null): void;
  /** The document by way of which things were sent has gone; who knows whether it passed them on. */
  interrupt(): void;
}

export interface StoredFilesOptions {
  run: string;
  sources: Sources;
  say(message: ToFrame, ports: MessagePort[]): void;
  onAnswer(): void;
}

export function createStoredFiles({
  run,
  sources,
  say,
  onAnswer,
}: StoredFilesOptions): StoredFiles {
  /** The version that it holds for certain, and the one that it holds if all has arrived. */
  let confirmed: number | null = null;
  let sent: number | null = null;
  /** Messages are counted; what became of those before the latest whole set does not matter. */
  let count = 0;
  let whole = 0;
  /** The message that was sent last, until it is answered. */
  let awaited: number | null = null;

  const hear = (data: unknown, message: number) => {
    const answer = parseStoreAnswer(data);
    if (!answer || message < whole) return;
    if (message === awaited) awaited = null;
    if (answer.type === 'stored') {
      confirmed = Math.max(answer.version, confirmed ?? 0);
      sent = Math.max(answer.version, sent ?? 0);
    } else {
      confirmed = sent = null;
      send();
    }
    onAnswer();
  };

  const send = () => {
    const { version } = sources;
    if (sent === version) return;
    const base = sent;
    const { changed, removed } =
      base === null ? { changed: [...sources.paths], removed: [] } : sources.unsent(base);
    const { port1, port2 } = new MessageChannel();
    const message = ++count;
    awaited = message;
    if (base === null) whole = message;
    port1.onmessage = ({ data }: MessageEvent<unknown>) => {
      port1.close();
      hear(data, message);
    };
    const files = sources.pack(changed);
    say({ type: 'relay', message: { type: 'store', run, base, version, files, removed } }, [port2]);
    sent = version;
  };

  return {
    get isAwaited() {
      return awaited !== null;
    },
    get isBegun() {
      return sent !== null;
    },
    send,
    find(version) {
      confirmed = sent = version;
    },
    interrupt() {
      awaited = null;
      sent = confirmed;
    },
  };
}
