import type { PositionMap } from '../positions.ts';
import { findMatchingRule, type NetworkRule, type RuleEffect } from '../../network-rules.ts';

/** Applies the user's network rules to requests that the service worker doesn't handle. */
export interface RequestGate {
  setRules(rules: NetworkRule[]): void;
  /** Calls `decide` with the rule's effect for a URL; synchronously once the rules are known. */
  check(address: string, decide: (effect: RuleEffect | undefined) => void): void;
  /** Pattern of the rule that fails a script's request, here or in the service worker. */
  findFailing(address: string): string | undefined;
  /** Pattern of the rule that fails an element's request; only the service worker can do that. */
  findFailingServed(address: string): string | undefined;
}

/** The host sends the rules right after the hello; requests are held back no longer than this. */
const rulesTimeoutMs = 1_000;

export function createRequestGate(positions: PositionMap): RequestGate {
  let rules: NetworkRule[] | undefined;
  let waiting: (() => void)[] = [];
  const release = () => {
    rules ??= [];
    for (const decide of waiting.splice(0)) decide();
    waiting = [];
  };
  setTimeout(release, rulesTimeoutMs);
  const ruleFor = (url: URL) => findMatchingRule(rules ?? [], url, location.origin);
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

/** Whether the service worker applies the rules to this URL. */
function isServed(address: URL): boolean {
  if (self.origin === 'null' || address.origin !== location.origin) return false;
  const container: ServiceWorkerContainer | undefined = navigator.serviceWorker;
  return container?.controller !== null && container?.controller !== undefined;
}
