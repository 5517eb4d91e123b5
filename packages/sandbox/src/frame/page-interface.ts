/** What the project's compiled modules find in their page, as `globalThis.__vitrine`. */
import type { Components } from './components.ts';
import type { Hot } from './hot.ts';
import type { Preact } from './preact-options.ts';

export interface PageInterface {
  /** `import.meta.hot` of the module with that id. */
  hot: Hot['context'];
  components: Components['scope'];
  acceptComponents: Hot['acceptComponents'];
  /** The project's own Preact, for its refresh runtime. */
  preact: Preact | undefined;
  /** How a refresh runtime, a script of its own, hands itself over. */
  takeRefresher: Components['takeRefresher'];
}

/** Not enumerable, so that a page that looks through its window does not meet it. */
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
