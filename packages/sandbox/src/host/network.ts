import { networkLimits, type RequestDetails, type NetworkRequest } from '../network-messages.ts';
import type { NetworkMessage, ToNetwork } from '../network-messages.ts';
import type { NetworkRule } from '../network-rules.ts';
import type { CompileQueue } from './compile-queue.ts';

/** Requests of the running document. */
export interface NetworkLog {
  /** In the order in which they started. */
  readonly requests: readonly NetworkRequest[];
  /** Number of requests beyond the limit. */
  readonly dropped: number;
}

export interface Network {
  /** Starts recording, in this document and all later ones. Costs a page nothing before that. */
  watch(): void;
  /** Delays or fails matching requests from now on; an empty list ends that. */
  setRules(rules: readonly NetworkRule[]): void;
  /** Headers and bodies of a request; undefined if the document doesn't respond or has been replaced. */
  findDetails(id: number): Promise<RequestDetails | undefined>;
}

interface NetworkOptions {
  compileQueue: CompileQueue;
  onChange(log: NetworkLog): void;
  send(message: ToNetwork): void;
  /** Passes rules to the service worker, which applies them to requests of the page's own origin. */
  sendToServiceWorker(rules: NetworkRule[]): void;
}

const detailsTimeoutMs = 3_000;
const reportIntervalMs = 50;

export function createNetwork(o: NetworkOptions) {
  let isWatching = false;
  let rules: NetworkRule[] = [];
  const requests = new Map<number, NetworkRequest>();
  let dropped = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** Resolvers of requested details, by request id. */
  const pending = new Map<number, (details: RequestDetails | undefined) => void>();

  const scheduleReport = () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      // The browser reports the page's own request last.
      const sorted = [...requests.values()].sort((a, b) => a.start - b.start);
      o.onChange({ requests: sorted, dropped });
    }, reportIntervalMs);
  };
  const add = (request: NetworkRequest) => {
    if (requests.size >= networkLimits.requests && !requests.has(request.id)) dropped += 1;
    else
      requests.set(request.id, {
        ...request,
        startedBy: o.compileQueue.mapLocation(request.startedBy),
      });
    scheduleReport();
  };
  const sendRules = () => o.send({ type: 'rules', rules });
  const watch = () => {
    if (isWatching) return;
    isWatching = true;
    sendRules();
  };

  return {
    get isWatching() {
      return isWatching;
    },
    watch,
    setRules(next: readonly NetworkRule[]) {
      rules = [...next];
      if (isWatching) sendRules();
      else watch();
      o.sendToServiceWorker(rules);
    },
    findDetails(id: number): Promise<RequestDetails | undefined> {
      return new Promise((resolve) => {
        pending.get(id)?.(undefined);
        const timeout = setTimeout(() => end(undefined), detailsTimeoutMs);
        const end = (details: RequestDetails | undefined) => {
          clearTimeout(timeout);
          pending.delete(id);
          resolve(details);
        };
        pending.set(id, end);
        o.send({ type: 'details', id });
      });
    },
    onMessage(message: NetworkMessage): void {
      if (message.type === 'details') return pending.get(message.id)?.(message.details);
      dropped += message.dropped;
      if (message.dropped > 0) scheduleReport();
      const isUnprepared = message.requests.some(({ startedBy }) =>
        o.compileQueue.lacksSourceMap(startedBy.path),
      );
      if (!isUnprepared) message.requests.forEach(add);
      else void o.compileQueue.prepare().then(() => message.requests.forEach(add));
    },
    /** Handles a new document: the last one's requests are cleared. */
    beginDocument(): void {
      requests.clear();
      dropped = 0;
      for (const end of pending.values()) end(undefined);
      if (!isWatching) return;
      scheduleReport();
      sendRules();
      if (rules.length > 0) o.sendToServiceWorker(rules);
    },
    close: () => clearTimeout(timer),
  };
}
