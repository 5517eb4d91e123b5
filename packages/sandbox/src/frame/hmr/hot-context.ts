/**
 * `import.meta.hot` as Vite defines it, and the callbacks that modules registered through it. A module that is
 * loaded again gets a new context; only `data` is passed on.
 */

/** The exports of a module. */
export type ModuleExports = Readonly<Record<string, unknown>>;

/** An `accept()` call of a module instance. */
interface AcceptCallback {
  deps: readonly string[];
  /** Called with the new modules in the order of `deps`; undefined for those that did not change. */
  call(modules: readonly (ModuleExports | undefined)[]): unknown;
}

type Listener = (payload: unknown) => unknown;

/** Callbacks that one module instance has registered. */
interface ModuleHotState {
  acceptances: AcceptCallback[];
  dispose: ((data: object) => unknown) | undefined;
  prune: ((data: object) => unknown) | undefined;
  /** Passed from each instance of the module to the next. */
  data: object;
  listeners: Map<string, Set<Listener>>;
}

/** Owners by module id; each is the newest instance. */
export type HotStates = Map<string, ModuleHotState>;

/** Calls the listeners of all modules for an event. */
export function emitHotEvent(owners: HotStates, event: string, payload: unknown): void {
  for (const { listeners } of owners.values())
    for (const listener of listeners.get(event) ?? []) listener(payload);
}

/** Creates the context of a new module instance and replaces the earlier one in `owners`. */
export function createHotContext(owners: HotStates, id: string, invalidate: (id: string) => void) {
  const owner: ModuleHotState = {
    acceptances: [],
    dispose: undefined,
    prune: undefined,
    data: owners.get(id)?.data ?? {},
    listeners: new Map(),
  };
  owners.set(id, owner);
  return {
    get data() {
      return owner.data;
    },
    /** `accept()`, `accept(take)`, `accept(dep, take)` or `accept([dep, …], take)`. */
    accept(first?: unknown, second?: unknown): void {
      owner.acceptances.push(readAcceptance(id, first, second));
    },
    dispose(callback: ModuleHotState['dispose']): void {
      owner.dispose = callback;
    },
    prune(callback: ModuleHotState['prune']): void {
      owner.prune = callback;
    },
    invalidate: () => invalidate(id),
    on(event: string, listener: Listener): void {
      const listeners = owner.listeners.get(event) ?? new Set();
      owner.listeners.set(event, listeners.add(listener));
    },
    off(event: string, listener: Listener): void {
      owner.listeners.get(event)?.delete(listener);
    },
    // No-ops: `decline` is one in Vite, and `send` needs Vite's server.
    decline(): void {},
    send(): void {},
    /** Not supported: a module that accepts only some of its exports is reloaded with its importers. */
    acceptExports(): void {},
  };
}

function readAcceptance(id: string, first: unknown, second: unknown): AcceptCallback {
  if (typeof first === 'string') return { deps: [first], call: ([module]) => call(second, module) };
  if (Array.isArray(first))
    return { deps: first.map(String), call: (modules) => call(second, modules) };
  return { deps: [id], call: ([module]) => call(first, module) };
}

function call(callback: unknown, argument: unknown): unknown {
  if (typeof callback === 'function') return Reflect.apply(callback, undefined, [argument]);
  return undefined;
}
