import { networkLimits, type RequestDetails, type SeenRequest } from '../network-messages.ts';
import type { NetworkSaid, ToNetwork } from '../network-messages.ts';
import type { NetworkRule } from '../network-rules.ts';
import type { Intake } from './intake.ts';

/** What the document that runs has asked for. */
export interface NetworkLog {
  /** In the order in which they were begun. */
  readonly requests: readonly SeenRequest[];
  /** Requests beyond those. */
  readonly dropped: number;
}

export interface Network {
  /** Begins to watch, in this document and all later ones. Costs a page nothing before that. */
  watch(): void;
  /** Holds up or refuses what matches, from now on; an empty list ends that. */
  setRules(rules: readonly NetworkRule[]): void;
  /** Headers and bodies; undefined where the document does not answer, or is another by now. */
  findDetails(id: number): Promise<RequestDetails | undefined>;
}

export interface NetworkOptions {
  intake: Intake;
  onChange(log: NetworkLog): void;
  say(said: ToNetwork): void;
  /** For what the page asks of its own origin, where there is a service worker. */
  relayRules(rules: NetworkRule[]): void;
}

const detailsWithinMs = 3_000;
const tellEveryMs = 50;

export function createNetwork(o: NetworkOptions) {
  let isWatching = false;
  let rules: NetworkRule[] = [];
  const requests = new Map<number, SeenRequest>();
  let dropped = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** Who waits for the details of a request. */
  const waiting = new Map<number, (details: RequestDetails | undefined) => void>();

  const changed = () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      // The browser tells of the page itself last.
      const inOrder = [...requests.values()].sort((a, b) => a.start - b.start);
      o.onChange({ requests: inOrder, dropped });
    }, tellEveryMs);
  };
  const add = (request: SeenRequest) => {
    if (requests.size >= networkLimits.requests && !requests.has(request.id)) dropped += 1;
    else requests.set(request.id, { ...request, startedBy: o.intake.locate(request.startedBy) });
    changed();
  };
  const sendRules = () => o.say({ type: 'rules', rules });
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
      o.relayRules(rules);
    },
    findDetails(id: number): Promise<RequestDetails | undefined> {
      return new Promise((resolve) => {
        waiting.get(id)?.(undefined);
        const tooLate = setTimeout(() => end(undefined), detailsWithinMs);
        const end = (details: RequestDetails | undefined) => {
          clearTimeout(tooLate);
          waiting.delete(id);
          resolve(details);
        };
        waiting.set(id, end);
        o.say({ type: 'details', id });
      });
    },
    hear(said: NetworkSaid): void {
      if (said.type === 'details') return waiting.get(said.id)?.(said.details);
      dropped += said.dropped;
      if (said.dropped > 0) changed();
      const isUnprepared = said.requests.some(({ startedBy }) =>
        o.intake.isUnprepared(startedBy.path),
      );
      if (!isUnprepared) said.requests.forEach(add);
      else void o.intake.prepare().then(() => said.requests.forEach(add));
    },
    /** Another document is there: what the last one asked for is over. */
    begin(): void {
      requests.clear();
      dropped = 0;
      for (const end of waiting.values()) end(undefined);
      if (!isWatching) return;
      changed();
      sendRules();
      if (rules.length > 0) o.relayRules(rules);
    },
    close: () => clearTimeout(timer),
  };
}
