/** React's refresh runtime, a script of its own: `/__vitrine/react-refresher.js`. */
import * as runtime from 'react-refresh/runtime';
import type { RefreshRuntime } from './refresh-runtime.ts';

runtime.injectIntoGlobalHook(window);

const refresher: RefreshRuntime = {
  register: (type, id) => runtime.register(type, id),
  createSigner: () => runtime.createSignatureFunctionForTransform(),
  isComponent: (value) => runtime.isLikelyComponentType(value),
  perform: () => void runtime.performReactRefresh(),
};
window.__vitrine?.takeRefresher(refresher);
