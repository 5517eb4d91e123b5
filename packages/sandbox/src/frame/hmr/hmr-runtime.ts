/**
 * Applies HMR updates. The host sends the new modules with their HMR boundaries. Each is imported under a new
 * URL next to the old one; `dispose` callbacks of the old module run before, `accept` callbacks after.
 */
import type { HotMessage, HotUpdate } from '../../hot-messages.ts';
import type { ComponentRefresh } from './component-refresh.ts';
import {
  createHotContext,
  emitHotEvent,
  type ModuleExports,
  type HotStates,
} from './hot-context.ts';
import { applyVueUpdate } from './vue-updates.ts';

export interface HmrRuntime {
  /** `import.meta.hot` of a module that starts to run. */
  context(id: string): ReturnType<typeof createHotContext>;
  /** For a module of components: accepts itself if the new module exports only components too. */
  acceptComponents(id: string, importSelf: () => Promise<ModuleExports>): void;
  /** Boundaries without an `accept` callback for the update: modules that have not run, or not completely. */
  findUnaccepted(updates: readonly HotUpdate[]): string[];
  /** Applies an update; true if nothing threw. Errors have been reported. */
  apply(message: HotMessage): Promise<boolean>;
  /** Notifies modules that the page is about to reload. */
  emitBeforeReload(): void;
}

interface HmrRuntimeOptions {
  components: ComponentRefresh;
  importModule(update: HotUpdate): Promise<ModuleExports>;
  invalidate(id: string): void;
}

export function createHmrRuntime({
  components,
  importModule,
  invalidate,
}: HmrRuntimeOptions): HmrRuntime {
  const owners: HotStates = new Map();
  /** Newest version imported per boundary and module; results of older imports are dropped. */
  const newest = new Map<string, number>();
  const keyOf = ({ boundary, accepted }: HotUpdate) => `${boundary}\n${accepted}`;

  const findCallbacks = ({ boundary, accepted }: HotUpdate) =>
    owners.get(boundary)?.acceptances.filter(({ deps }) => deps.includes(accepted)) ?? [];

  const onInvalidate = (id: string) => {
    emitHotEvent(owners, 'vite:invalidate', { path: id });
    invalidate(id);
  };

  /** Imports a new module and returns a function that calls its `accept` callbacks. */
  const load = async (update: HotUpdate): Promise<() => Promise<void>> => {
    const { accepted, stamp } = update;
    newest.set(keyOf(update), stamp);
    const callbacks = findCallbacks(update);
    const old = owners.get(accepted);
    try {
      await old?.dispose?.(old.data);
      const module = await importModule(update);
      return async () => {
        if (newest.get(keyOf(update)) !== stamp) return;
        for (const { deps, call } of callbacks)
          await applyVueUpdate(() =>
            call(deps.map((id) => (id === accepted ? module : undefined))),
          );
      };
    } catch (error) {
      // The old module stays and can accept the next update.
      if (old) owners.set(accepted, old);
      throw error;
    }
  };

  const prune = async (ids: readonly string[]) => {
    if (ids.length > 0) emitHotEvent(owners, 'vite:beforePrune', { type: 'prune', paths: ids });
    for (const id of ids) {
      const owner = owners.get(id);
      owners.delete(id);
      await owner?.dispose?.(owner.data);
      await owner?.prune?.(owner.data);
    }
  };

  return {
    context: (id) => createHotContext(owners, id, onInvalidate),
    acceptComponents(id, importSelf) {
      components.markUsed();
      owners.get(id)?.acceptances.push({
        deps: [id],
        async call([next]) {
          if (next && !components.canReplace(id, await importSelf(), next)) onInvalidate(id);
        },
      });
    },
    findUnaccepted: (updates) =>
      updates
        .filter((update) => findCallbacks(update).length === 0)
        .map(({ boundary }) => boundary),
    async apply({ updates, pruned }) {
      const known = updates.filter(({ boundary }) => owners.has(boundary));
      const payload = { type: 'update', updates: known.map(describe) };
      let isOk = true;
      const guard = async <T>(work: () => T | Promise<T>): Promise<T | undefined> => {
        try {
          return await work();
        } catch (error) {
          isOk = false;
          emitHotEvent(owners, 'vite:error', { type: 'error', err: error });
          report(error);
          return undefined;
        }
      };
      await guard(() => emitHotEvent(owners, 'vite:beforeUpdate', payload));
      await components.load();
      const loaded = await Promise.all(known.map((update) => guard(() => load(update))));
      for (const accept of loaded) if (accept) await guard(accept);
      await guard(() => components.refresh());
      await guard(() => prune(pruned));
      await guard(() => emitHotEvent(owners, 'vite:afterUpdate', payload));
      return isOk;
    },
    emitBeforeReload: () =>
      emitHotEvent(owners, 'vite:beforeFullReload', { type: 'full-reload', path: '*' }),
  };
}

/**
 * Reports an error like an uncaught one. `reportError` doesn't work: it hides the details if our script is
 * cross-origin to the page, as with the srcdoc transport.
 */
function report(error: unknown): void {
  const message = error instanceof Error ? error.message : '';
  dispatchEvent(new ErrorEvent('error', { error, message, cancelable: true }));
}

/** Payload of one update, as Vite's client sends it. */
function describe({ boundary, accepted, stamp }: HotUpdate) {
  return { type: 'js-update', path: boundary, acceptedPath: accepted, timestamp: stamp };
}
