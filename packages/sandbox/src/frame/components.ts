/**
 * Fast Refresh of React and Preact components. Registrations that modules make as they run are recorded and
 * replayed when the refresh runtime loads: after the page's first paint, or with the first update.
 */
import type { Exports } from './hot-context.ts';
import { recordPreact, type Preact, type PreactHooks } from './preact-options.ts';
import { recordReact } from './tools-hook.ts';
import type { Refresher, Signer } from './refresher.ts';

export type RefresherName = 'react-refresher' | 'preact-refresher';

export interface Components {
  /** Refresh functions in scope of a module with components; `preact` is the project's own copy, for Preact. */
  scope(id: string, preact?: Preact): { $RefreshReg$: Register; $RefreshSig$(): Signer };
  /** Records that a module with components has run, even if it registers none (class components). */
  expect(): void;
  /** Loads the runtime if a module needs it. */
  load(): Promise<void>;
  /** Called by the runtime's own script. */
  takeRefresher(runtime: Refresher): void;
  /** Whether the new exports can replace the earlier ones, because all are components. */
  renew(id: string, before: Exports, next: Exports): boolean;
  /** Refreshes the registered components. */
  perform(): void;
}

type Register = (type: unknown, name: string) => void;

export function createComponents(runScript: (name: RefresherName) => Promise<void>): Components {
  const replayReact = recordReact();
  let replayPreact: ((hooks: PreactHooks) => void) | undefined;
  let isUsed = false;
  let refresher: Refresher | undefined;
  let loading: Promise<void> | undefined;
  /** Calls that wait for the runtime, in order. */
  const queue: ((runtime: Refresher) => void)[] = [];
  const withRuntime = (call: (runtime: Refresher) => void) =>
    refresher ? call(refresher) : queue.push(call);

  const load = async () => {
    try {
      await runScript(replayPreact ? 'preact-refresher' : 'react-refresher');
    } catch {
      // The script failed to load; the next update tries again.
      loading = undefined;
    }
  };

  const sign = (): Signer => {
    let signer: Signer | undefined;
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
    expect: () => void (isUsed = true),
    async load() {
      if (isUsed) await (loading ??= load());
    },
    takeRefresher(runtime) {
      refresher = runtime;
      if (runtime.hooks) replayPreact?.(runtime.hooks);
      else replayReact();
      for (const call of queue.splice(0)) call(runtime);
    },
    renew(id, before, next) {
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
    perform: () => refresher?.perform(),
  };
}
