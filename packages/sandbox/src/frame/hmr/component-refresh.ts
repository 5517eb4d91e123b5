/**
 * Fast Refresh of React and Preact components. Registrations that modules make as they run are recorded and
 * replayed when the refresh runtime loads: after the page's first paint, or with the first update.
 */
import type { ModuleExports } from './hot-context.ts';
import { recordPreact, type ProjectPreact, type PreactHooks } from './preact-options.ts';
import { recordReactHook } from '../tools/devtools-hook.ts';
import type { RefreshRuntime, SignatureFunction } from './refresh-runtime.ts';

type RefreshRuntimeName = 'react-refresher' | 'preact-refresher';

export interface ComponentRefresh {
  /** Refresh functions in scope of a module with components; `preact` is the project's own copy, for Preact. */
  scope(
    id: string,
    preact?: ProjectPreact,
  ): { $RefreshReg$: Register; $RefreshSig$(): SignatureFunction };
  /** Records that a module with components has run, even if it registers none (class components). */
  markUsed(): void;
  /** Loads the runtime if a module needs it. */
  load(): Promise<void>;
  /** Called by the runtime's own script. */
  takeRefresher(runtime: RefreshRuntime): void;
  /** Whether the new exports can replace the earlier ones, because all are components. */
  canReplace(id: string, before: ModuleExports, next: ModuleExports): boolean;
  /** Refreshes the registered components. */
  refresh(): void;
}

type Register = (type: unknown, name: string) => void;

export function createComponentRefresh(
  runScript: (name: RefreshRuntimeName) => Promise<void>,
): ComponentRefresh {
  const replayReact = recordReactHook();
  let replayPreact: ((hooks: PreactHooks) => void) | undefined;
  let isUsed = false;
  let refresher: RefreshRuntime | undefined;
  let loading: Promise<void> | undefined;
  /** Calls that wait for the runtime, in order. */
  const queue: ((runtime: RefreshRuntime) => void)[] = [];
  const withRuntime = (call: (runtime: RefreshRuntime) => void) =>
    refresher ? call(refresher) : queue.push(call);

  const load = async () => {
    try {
      await runScript(replayPreact ? 'preact-refresher' : 'react-refresher');
    } catch {
      // The script failed to load; the next update tries again.
      loading = undefined;
    }
  };

  const sign = (): SignatureFunction => {
    let signer: SignatureFunction | undefined;
    let isCalled = false;
    withRuntime((runtime) => {
      signer = runtime.createSigner();
    });
    return (type, key, ...rest) => {
      if (typeof key === 'string') withRuntime(() => signer?.(type, key, ...rest));
      else if (signer) signer();
      else if (!isCalled) {
        isCalled = true;
        queue.push(() => signer?.());
      }
      return type;
    };
  };

  return {
    scope(id, preact) {
      isUsed = true;
      if (preact) replayPreact ??= recordPreact(preact);
      return {
        $RefreshReg$: (type, name) =>
          void withRuntime((runtime) => runtime.register(type, `${id} ${name}`)),
        $RefreshSig$: sign,
      };
    },
    markUsed: () => void (isUsed = true),
    async load() {
      if (isUsed) await (loading ??= load());
    },
    takeRefresher(runtime) {
      refresher = runtime;
      if (runtime.hooks) replayPreact?.(runtime.hooks);
      else replayReact();
      for (const call of queue.splice(0)) call(runtime);
    },
    canReplace(id, before, next) {
      const runtime = refresher;
      if (!runtime || Object.keys(before).some((name) => !(name in next))) return false;
      return Object.entries(next).every(([name, value]) => {
        if (!runtime.isComponent(value)) return name in before && before[name] === value;
        // Registers exports that the transform missed, such as a component returned by a function.
        for (const type of [before[name], value])
          if (runtime.isComponent(type)) runtime.register(type, `${id} export ${name}`);
        return true;
      });
    },
    refresh: () => refresher?.perform(),
  };
}
