/** Interface of compiled modules to their page: `globalThis.__vitrine`. */
import type { ComponentRefresh } from './component-refresh.ts';
import type { HmrRuntime } from './hmr-runtime.ts';
import type { ProjectPreact } from './preact-options.ts';

export interface PageInterface {
  /** Returns `import.meta.hot` of a module. */
  hot: HmrRuntime['context'];
  components: ComponentRefresh['scope'];
  acceptComponents: HmrRuntime['acceptComponents'];
  /** The project's own copy of Preact, for its refresh runtime. */
  preact: ProjectPreact | undefined;
  /** Called by a refresh runtime's script. */
  takeRefresher: ComponentRefresh['takeRefresher'];
}

/** Defines the interface, not enumerable so that a page that lists its globals doesn't see it. */
export function definePageInterface(hot: HmrRuntime, components: ComponentRefresh): void {
  const offered: PageInterface = {
    hot: hot.context,
    components(id, preact) {
      offered.preact ??= preact;
      return components.scope(id, preact);
    },
    acceptComponents: hot.acceptComponents,
    preact: undefined,
    takeRefresher: components.takeRefresher,
  };
  Object.defineProperty(window, '__vitrine', { value: offered });
}

declare global {
  interface Window {
    __vitrine?: PageInterface;
  }
}
