import { findMatchingRule, parseRules, type NetworkRule } from '../network-rules.ts';
import { isRecord } from '../console-values.ts';

/** The user's network rules of the latest runs that have any, until each run is forgotten. */
export interface RuleStore {
  set(run: string, rules: readonly NetworkRule[]): Promise<void>;
  /** True once it is certain that there are no rules. */
  isEmpty(): boolean;
  /** Applies the rule for a URL: waits, returns a response in place of the file, or returns undefined. */
  apply(run: string | undefined, address: URL): Promise<Response | undefined>;
}

/** Cache with a single entry `/`: all rules as JSON. Persisted, because the browser may stop the worker at any time. */
const cacheName = 'vitrine-rules';
const maxRuns = 8;

export function createRuleStore(caches: CacheStorage, own: string): RuleStore {
  const known = new Map<string, readonly NetworkRule[]>();
  let isRestored = false;
  const restored = restore(caches, known).finally(() => (isRestored = true));

  return {
    async set(run, rules) {
      await restored;
      known.delete(run);
      if (rules.length > 0) known.set(run, rules);
      for (const old of [...known.keys()].slice(0, -maxRuns)) known.delete(old);
      if (known.size === 0) return void (await caches.delete(cacheName));
      const cache = await caches.open(cacheName);
      await cache.put('/', new Response(JSON.stringify(Object.fromEntries(known))));
    },
    isEmpty: () => isRestored && known.size === 0,
    async apply(run, address) {
      await restored;
      const rule = findMatchingRule(known.get(run ?? '') ?? [], address, own);
      switch (rule?.effect.kind) {
        case 'wait':
          await delay(rule.effect.ms);
          return undefined;
        case 'fail':
          return Response.error();
        case 'status':
          return new Response(nullBody.has(rule.effect.status) ? null : '', {
            status: rule.effect.status,
          });
        case undefined:
          return undefined;
      }
    },
  };
}

/** Statuses whose responses can't have a body. */
const nullBody: ReadonlySet<number> = new Set([204, 205, 304]);

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Restores rules. User code can write to this cache and affect only itself. */
async function restore(
  caches: CacheStorage,
  known: Map<string, readonly NetworkRule[]>,
): Promise<void> {
  if (!(await caches.has(cacheName))) return;
  const stored: unknown = await (await (await caches.open(cacheName)).match('/'))?.json();
  if (!isRecord(stored)) return;
  for (const [run, each] of Object.entries(stored)) {
    const rules = parseRules(each);
    if (rules) known.set(run, rules);
  }
}
