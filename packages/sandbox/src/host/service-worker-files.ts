import { parseStoreResponse, type ToFrame } from '../protocol.ts';
import type { ModuleStore } from './module-store.ts';

/**
 * Files of one run in the service worker. They are sent through the document shown, and nothing waits
 * for the response: a request for a version waits inside the service worker (P-17).
 */
export interface ServiceWorkerFiles {
  /** The last message has not been answered. */
  readonly isPending: boolean;
  /** The service worker may hold files of this run. */
  readonly isStored: boolean;
  /** Sends what the service worker lacks. */
  send(): void;
  /** Sets the version that the service worker holds, known from a document it served; null for none. */
  setVersion(version: number | null): void;
  /** The document that relayed messages is gone, so unanswered ones may not have arrived. */
  interrupt(): void;
}

export interface ServiceWorkerFilesOptions {
  run: string;
  moduleStore: ModuleStore;
  send(message: ToFrame, ports: MessagePort[]): void;
  onAnswer(): void;
}

export function createServiceWorkerFiles({
  run,
  moduleStore,
  send: say,
  onAnswer,
}: ServiceWorkerFilesOptions): ServiceWorkerFiles {
  /** Version that the service worker has confirmed, and the one it holds if every message arrived. */
  let confirmed: number | null = null;
  let sent: number | null = null;
  /** Number of messages sent, and the number of the latest complete set. Answers to earlier messages are ignored. */
  let count = 0;
  let lastComplete = 0;
  /** Number of the last message until it is answered. */
  let pending: number | null = null;

  const onResponse = (data: unknown, message: number) => {
    const answer = parseStoreResponse(data);
    if (!answer || message < lastComplete) return;
    if (message === pending) pending = null;
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
    const { version } = moduleStore;
    if (sent === version) return;
    const base = sent;
    const { changed, removed } =
      base === null
        ? { changed: [...moduleStore.paths], removed: [] }
        : moduleStore.unsentSince(base);
    const { port1, port2 } = new MessageChannel();
    const message = ++count;
    pending = message;
    if (base === null) lastComplete = message;
    port1.onmessage = ({ data }: MessageEvent<unknown>) => {
      port1.close();
      onResponse(data, message);
    };
    const files = moduleStore.pack(changed);
    say({ type: 'relay', message: { type: 'store', run, base, version, files, removed } }, [port2]);
    sent = version;
  };

  return {
    get isPending() {
      return pending !== null;
    },
    get isStored() {
      return sent !== null;
    },
    send,
    setVersion(version) {
      confirmed = sent = version;
    },
    interrupt() {
      pending = null;
      sent = confirmed;
    },
  };
}
