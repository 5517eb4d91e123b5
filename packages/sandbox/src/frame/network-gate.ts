import type { Positions } from './positions.ts';
import { findRule, type NetworkRule, type RuleEffect } from '../network-rules.ts';

/** Decides what a person's rules do to a request; the service worker has those of its own origin. */
export interface Gate {
  setRules(rules: NetworkRule[]): void;
  /** What to do instead of asking, or first; at once where the rules are known. */
  check(address: string, decide: (effect: RuleEffect | undefined) => void): void;
}

/** The host says the rules as soon as the document says hello; without them nothing is held for long. */
const rulesWithinMs = 1_000;

export function createGate(positions: Positions): Gate {
  let rules: NetworkRule[] | undefined;
  let waiting: (() => void)[] = [];
  const release = () => {
    rules ??= [];
    for (const go of waiting.splice(0)) go();
    waiting = [];
  };
  setTimeout(release, rulesWithinMs);

  return {
    setRules(next) {
      rules = next;
      release();
    },
    check(address, decide) {
      const find = () => {
        const url = URL.parse(address, positions.base);
        const isElsewhere = !url || isServed(url);
        decide(isElsewhere ? undefined : findRule(rules ?? [], url, location.origin)?.effect);
      };
      if (rules) find();
      else waiting.push(find);
    },
  };
}

/** Whether a service worker goes by the rules for this address. */
function isServed(address: URL): boolean {
  if (self.origin === 'null' || address.origin !== location.origin) return false;
  const container: ServiceWorkerContainer | undefined = navigator.serviceWorker;
  return container?.controller !== null && container?.controller !== undefined;
}
