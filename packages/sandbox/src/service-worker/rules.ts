import { findRule, parseRules, type NetworkRule } from '../network-rules.ts';
import { isRecord } from '../console-values.ts';

/** What somebody holds up or refuses on purpose, by run; kept until the run is forgotten. */
export interface Rules {
  set(run: string, rules: readonly NetworkRule[]): Promise<void>;
  /** True once it is certain that there are none. */
  knowsNone(): boolean;
  /** Waits as a rule says; the answer it gives in place of the file, or undefined where it gives none. */
  apply(run: string | undefined, address: URL): Promise<Response | undefined>;
}

/** One cache with one entry, `/`: all of them as JSON, since the browser may stop this at any time. */
const cacheName = 'vitrine-rules';
const keptRuns = 8;

export function createRules(caches: CacheStorage, own: string): Rules {
  const known = new Map<string, readonly NetworkRule[]>();
  let settled = false;
  const restored = restore(caches, known).finally(() => (settled = true));

  return {
    async set(run, rules) {
      known.delete(run);
      if (rules.length > 0) known.set(run, rules);
      for (const old of [...known.keys()].slice(0, -keptRuns)) known.delete(old);
      await restored;
      if (known.size === 0) return void (await caches.delete(cacheName));
      const cache = await caches.open(cacheName);
      await cache.put('/', new Response(JSON.stringify(Object.fromEntries(known))));
    },
    knowsNone: () => settled && known.size === 0,
    async apply(run, address) {
      await restored;
      const rule = findRule(known.get(run ?? '') ?? [], address, own);
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

/** Statuses that no answer with a body may have. */
const nullBody: ReadonlySet<number> = new Set([204, 205, 304]);

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** User code can write to this cache; it can only hold itself up. What was set meanwhile is newer. */
async function restore(
  caches: CacheStorage,
  known: Map<string, readonly NetworkRule[]>,
): Promise<void> {
  if (!(await caches.has(cacheName))) return;
  const kept: unknown = await (await (await caches.open(cacheName)).match('/'))?.json();
  if (!isRecord(kept)) return;
  for (const [run, each] of Object.entries(kept)) {
    const rules = parseRules(each);
    if (rules && !known.has(run)) known.set(run, rules);
  }
}
