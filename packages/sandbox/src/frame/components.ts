/**
 * Components of React and Preact that are refreshed in place. What modules register as they run is
 * kept, and told to the refresh runtime when that comes: behind the page's first frame, or with the
 * first update.
 */
import type { Exports } from './hot-context.ts';
import { recordPreact, type Preact, type PreactHooks } from './preact-options.ts';
import { recordReact } from './tools-hook.ts';
import type { Refresher, Signer } from './refresher.ts';

export type RefresherName = 'react-refresher' | 'preact-refresher';

export interface Components {
  /** What a module with components has in scope; `preact` is the project's own, if it is Preact's. */
  scope(id: string, preact?: Preact): { $RefreshReg$: Register; $RefreshSig$(): Signer };
  /** A module with components has run, if only with such as register nothing (classes). */
  expect(): void;
  /** Loads the runtime, if any module needs one. */
  load(): Promise<void>;
  /** Called by the runtime, a script of its own, as it runs. */
  takeRefresher(runtime: Refresher): void;
  /** Whether new exports may take the place of the earlier ones, as all of them are components. */
  renew(id: string, before: Exports, next: Exports): boolean;
  /** Shows what has been renewed. */
  perform(): void;
}

type Register = (type: unknown, name: string) => void;

export function createComponents(runScript: (name: RefresherName) => Promise<void>): Components {
  const replayReact = recordReact();
  let replayPreact: ((hooks: PreactHooks) => void) | undefined;
  let isUsed = false;
  let refresher: Refresher | undefined;
  let loading: Promise<void> | undefined;
  /** What waits for the runtime, in its order. */
  const waiting: ((runtime: Refresher) => void)[] = [];
  const withRuntime = (act: (runtime: Refresher) => void) =>
    refresher ? act(refresher) : waiting.push(act);

  const load = async () => {
    try {
      await runScript(replayPreact ? 'preact-refresher' : 'react-refresher');
    } catch {
      // The network is away: the next update tries again.
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
        waiting.push(() => signer?.());
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
      for (const act of waiting.splice(0)) act(runtime);
    },
    renew(id, before, next) {
      const runtime = refresher;
      if (!runtime || Object.keys(before).some((name) => !(name in next))) return false;
      return Object.entries(next).every(([name, value]) => {
        if (!runtime.isComponent(value)) return name in before && before[name] === value;
        // What the transform did not see, such as a component that a function made.
        for (const type of [before[name], value])
          if (runtime.isComponent(type)) runtime.register(type, `${id} export ${name}`);
        return true;
      });
    },
    perform: () => refresher?.perform(),
  };
}
