/** Interface of compiled modules to their page: `globalThis.__vitrine`. */
import type { Components } from './components.ts';
import type { Hot } from './hot.ts';
import type { Preact } from './preact-options.ts';

export interface PageInterface {
  /** Returns `import.meta.hot` of a module. */
  hot: Hot['context'];
  components: Components['scope'];
  acceptComponents: Hot['acceptComponents'];
  /** The project's own copy of Preact, for its refresh runtime. */
  preact: Preact | undefined;
  /** Called by a refresh runtime's script. */
  takeRefresher: Components['takeRefresher'];
}

/** Defines the interface, not enumerable so that a page that lists its globals doesn't see it. */
export function offerPageInterface(hot: Hot, components: Components): void {
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
