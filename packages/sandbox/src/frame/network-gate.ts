import type { Positions } from './positions.ts';
import { findRule, type NetworkRule, type RuleEffect } from '../network-rules.ts';

/** Decides what a person's rules do to a request; the service worker has those of its own origin. */
export interface Gate {
  setRules(rules: NetworkRule[]): void;
  /** What to do instead of asking, or first; at once where the rules are known. */
  check(address: string, decide: (effect: RuleEffect | undefined) => void): void;
  /** The pattern of the rule that fails what a script asks for here, or in the service worker. */
  findFailing(address: string): string | undefined;
  /** Likewise of what an element asks for, which the service worker alone can fail. */
  findFailingServed(address: string): string | undefined;
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
  const ruleFor = (url: URL) => findRule(rules ?? [], url, location.origin);
  const findFailing = (address: string) => {
    const url = URL.parse(address, positions.base);
    const rule = url ? ruleFor(url) : undefined;
    return rule?.effect.kind === 'fail' ? rule.pattern : undefined;
  };

  return {
    setRules(next) {
      rules = next;
      release();
    },
    check(address, decide) {
      const decideByRule = () => {
        const url = URL.parse(address, positions.base);
        decide(url && !isServed(url) ? ruleFor(url)?.effect : undefined);
      };
      if (rules) decideByRule();
      else waiting.push(decideByRule);
    },
    findFailing,
    findFailingServed(address) {
      const url = URL.parse(address, positions.base);
      return url && isServed(url) ? findFailing(address) : undefined;
    },
  };
}

/** Whether a service worker goes by the rules for this address. */
function isServed(address: URL): boolean {
  if (self.origin === 'null' || address.origin !== location.origin) return false;
  const container: ServiceWorkerContainer | undefined = navigator.serviceWorker;
  return container?.controller !== null && container?.controller !== undefined;
}
