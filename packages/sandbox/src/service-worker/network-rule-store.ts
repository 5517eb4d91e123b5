import { isRecord } from '@vitrine/project';
import { findMatchingRule, parseRules, type NetworkRule } from '../network-rules.ts';

/** The user's network rules of the latest `maxRuns` runs that have any. */
export interface NetworkRuleStore {
  /** Replaces the rules of a run; none removes it. Resolves when they are in Cache Storage. */
  set(runId: string, rules: readonly NetworkRule[]): Promise<void>;
  /** Whether there are no rules; false until the stored ones have been restored. */
  isEmpty(): boolean;
  /**
   * Applies the rule that matches a URL: delays, fails, or returns an empty response with the rule's status.
   * Undefined if the file should be served.
   */
  apply(runId: string | undefined, url: URL): Promise<Response | undefined>;
}

/** Cache with a single entry `/`: all rules as JSON. Persisted, because the browser may stop the worker at any time. */
const cacheName = 'vitrine-rules';
/** Rules of older runs are evicted. */
const maxRuns = 8;

export function createNetworkRuleStore(caches: CacheStorage, ownOrigin: string): NetworkRuleStore {
  const rulesByRun = new Map<string, readonly NetworkRule[]>();
  let isRestored = false;
  const restored = restore(caches, rulesByRun).finally(() => (isRestored = true));

  return {
    async set(runId, rules) {
      await restored;
      rulesByRun.delete(runId);
      if (rules.length > 0) rulesByRun.set(runId, rules);
      for (const evictedRun of [...rulesByRun.keys()].slice(0, -maxRuns))
        rulesByRun.delete(evictedRun);
      if (rulesByRun.size === 0) return void (await caches.delete(cacheName));
      const cache = await caches.open(cacheName);
      await cache.put('/', new Response(JSON.stringify(Object.fromEntries(rulesByRun))));
    },
    isEmpty: () => isRestored && rulesByRun.size === 0,
    async apply(runId, url) {
      await restored;
      const rule = findMatchingRule(rulesByRun.get(runId ?? '') ?? [], url, ownOrigin);
      switch (rule?.effect.kind) {
        case 'wait':
          await delay(rule.effect.ms);
          return undefined;
        case 'fail':
          return Response.error();
        case 'status':
          return new Response(nullBodyStatuses.has(rule.effect.status) ? null : '', {
            status: rule.effect.status,
          });
        case undefined:
          return undefined;
      }
    },
  };
}

/** Statuses whose responses can't have a body. */
const nullBodyStatuses: ReadonlySet<number> = new Set([204, 205, 304]);

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Restores the stored rules. User code can write to this cache and affect only itself. */
async function restore(
  caches: CacheStorage,
  rulesByRun: Map<string, readonly NetworkRule[]>,
): Promise<void> {
  if (!(await caches.has(cacheName))) return;
  const stored: unknown = await (await (await caches.open(cacheName)).match('/'))?.json();
  if (!isRecord(stored)) return;
  for (const [runId, storedRules] of Object.entries(stored)) {
    const rules = parseRules(storedRules);
    if (rules) rulesByRun.set(runId, rules);
  }
}
