/**
 * New modules in a page that goes on running: the host says which ones, and who accepts them. They
 * are imported beside the old ones, at addresses of their own; what they replace is told to clean
 * up before, and whoever accepts them is called after.
 */
import type { HotMessage, HotUpdate } from '../hot-messages.ts';
import type { Components } from './components.ts';
import { createContext, emit, type Exports, type Owners } from './hot-context.ts';
import { putIn } from './vue-updates.ts';

export interface Hot {
  /** `import.meta.hot` of a module that has begun to run. */
  context(id: string): ReturnType<typeof createContext>;
  /** For a module of components: accepts itself if the new one exports nothing else. */
  acceptComponents(id: string, importSelf: () => Promise<Exports>): void;
  /** The boundaries of updates that nobody takes: modules that have not run, or not to their end. */
  findUnheard(updates: readonly HotUpdate[]): string[];
  /** True if all went well; what did not has been reported. */
  apply(message: HotMessage): Promise<boolean>;
  /** The page is about to be loaded anew. */
  beforeReload(): void;
}

export interface HotOptions {
  components: Components;
  importModule(update: HotUpdate): Promise<Exports>;
  invalidate(id: string): void;
}

export function createHot({ components, importModule, invalidate }: HotOptions): Hot {
  const owners: Owners = new Map();
  /** The newest stamp that was begun, by who accepts what: what is late changes nothing. */
  const newest = new Map<string, number>();
  const keyOf = ({ boundary, accepted }: HotUpdate) => `${boundary}\n${accepted}`;

  const findTakers = ({ boundary, accepted }: HotUpdate) =>
    owners.get(boundary)?.acceptances.filter(({ deps }) => deps.includes(accepted)) ?? [];

  const invalid = (id: string) => {
    emit(owners, 'vite:invalidate', { path: id });
    invalidate(id);
  };

  /** Imports one new module, and returns what tells those who accept it. */
  const load = async (update: HotUpdate): Promise<() => Promise<void>> => {
    const { accepted, stamp } = update;
    newest.set(keyOf(update), stamp);
    const takers = findTakers(update);
    const old = owners.get(accepted);
    try {
      await old?.dispose?.(old.data);
      const module = await importModule(update);
      return async () => {
        if (newest.get(keyOf(update)) !== stamp) return;
        for (const { deps, take } of takers)
          await putIn(() => take(deps.map((id) => (id === accepted ? module : undefined))));
      };
    } catch (error) {
      // The one that still runs can accept the next.
      if (old) owners.set(accepted, old);
      throw error;
    }
  };

  const prune = async (ids: readonly string[]) => {
    if (ids.length > 0) emit(owners, 'vite:beforePrune', { type: 'prune', paths: ids });
    for (const id of ids) {
      const owner = owners.get(id);
      owners.delete(id);
      await owner?.dispose?.(owner.data);
      await owner?.prune?.(owner.data);
    }
  };

  return {
    context: (id) => createContext(owners, id, invalid),
    acceptComponents(id, importSelf) {
      components.expect();
      owners.get(id)?.acceptances.push({
        deps: [id],
        async take([next]) {
          if (next && !components.renew(id, await importSelf(), next)) invalid(id);
        },
      });
    },
    findUnheard: (updates) =>
      updates.filter((update) => findTakers(update).length === 0).map(({ boundary }) => boundary),
    async apply({ updates, pruned }) {
      const known = updates.filter(({ boundary }) => owners.has(boundary));
      const payload = { type: 'update', updates: known.map(describe) };
      let isWhole = true;
      const guard = async <T>(work: () => T | Promise<T>): Promise<T | undefined> => {
        try {
          return await work();
        } catch (error) {
          isWhole = false;
          emit(owners, 'vite:error', { type: 'error', err: error });
          report(error);
          return undefined;
        }
      };
      await guard(() => emit(owners, 'vite:beforeUpdate', payload));
      await components.load();
      const loaded = await Promise.all(known.map((update) => guard(() => load(update))));
      for (const tell of loaded) if (tell) await guard(tell);
      await guard(() => components.perform());
      await guard(() => prune(pruned));
      await guard(() => emit(owners, 'vite:afterUpdate', payload));
      return isWhole;
    },
    beforeReload: () => emit(owners, 'vite:beforeFullReload', { type: 'full-reload', path: '*' }),
  };
}

/**
 * As the browser reports an error that nobody caught. Not by `reportError`, which says nothing of it
 * where our script is of another origin than the page, as on the portable path.
 */
function report(error: unknown): void {
  const message = error instanceof Error ? error.message : '';
  dispatchEvent(new ErrorEvent('error', { error, message, cancelable: true }));
}

/** As Vite's client tells it. */
function describe({ boundary, accepted, stamp }: HotUpdate) {
  return { type: 'js-update', path: boundary, acceptedPath: accepted, timestamp: stamp };
}
