import { parseStoreResponse, type ToFrame } from '../protocol.ts';
import type { ModuleStore } from './module-store.ts';

/**
 * Files of one run in the service worker. They are sent through the document in the frame. The
 * host doesn't wait for the response, because the service worker delays requests until it has the version that
 * they ask for (P-17).
 */
export interface ServiceWorkerFiles {
  /** The last message has no response yet. */
  readonly isPending: boolean;
  /** The service worker may hold files of this run. */
  readonly mayBeStored: boolean;
  /** Sends what the service worker lacks. */
  send(): void;
  /** Sets the version that the service worker holds, known from a document it served; null for none. */
  setVersion(version: number | null): void;
  /** Handles the end of the document that relayed messages: those without a response may not have arrived. */
  onDocumentGone(): void;
}

export interface ServiceWorkerFilesOptions {
  run: string;
  moduleStore: ModuleStore;
  send(message: ToFrame, ports: MessagePort[]): void;
  onResponse(): void;
}

export function createServiceWorkerFiles({
  run,
  moduleStore,
  send: sendToFrame,
  onResponse,
}: ServiceWorkerFilesOptions): ServiceWorkerFiles {
  /** Version that the service worker has confirmed; null for none. */
  let confirmedVersion: number | null = null;
  /** Version that the service worker holds if every message arrived; null for none. */
  let sentVersion: number | null = null;
  /** Number of messages sent. */
  let messageCount = 0;
  /** Number of the latest message with all files. Responses to earlier messages are ignored. */
  let lastFullMessage = 0;
  /** Number of the last message until its response arrives. */
  let pendingMessage: number | null = null;

  const handleResponse = (data: unknown, message: number) => {
    const response = parseStoreResponse(data);
    if (!response || message < lastFullMessage) return;
    if (message === pendingMessage) pendingMessage = null;
    if (response.type === 'stored') {
      confirmedVersion = Math.max(response.version, confirmedVersion ?? 0);
      sentVersion = Math.max(response.version, sentVersion ?? 0);
    } else {
      confirmedVersion = sentVersion = null;
      send();
    }
    onResponse();
  };

  const send = () => {
    const { version } = moduleStore;
    if (sentVersion === version) return;
    const baseVersion = sentVersion;
    const { changed, removed } =
      baseVersion === null
        ? { changed: [...moduleStore.paths], removed: [] }
        : moduleStore.unsentSince(baseVersion);
    const { port1, port2 } = new MessageChannel();
    const message = ++messageCount;
    pendingMessage = message;
    if (baseVersion === null) lastFullMessage = message;
    port1.onmessage = ({ data }: MessageEvent<unknown>) => {
      port1.close();
      handleResponse(data, message);
    };
    const files = moduleStore.pack(changed);
    sendToFrame(
      {
        type: 'relay',
        message: { type: 'store', run, base: baseVersion, version, files, removed },
      },
      [port2],
    );
    sentVersion = version;
  };

  return {
    get isPending() {
      return pendingMessage !== null;
    },
    get mayBeStored() {
      return sentVersion !== null;
    },
    send,
    setVersion(version) {
      confirmedVersion = sentVersion = version;
    },
    onDocumentGone() {
      pendingMessage = null;
      sentVersion = confirmedVersion;
    },
  };
}
