/** React's refresh runtime, a script of its own: `/__vitrine/react-refresher.js`. */
import * as runtime from 'react-refresh/runtime';
import type { Refresher } from './refresher.ts';

runtime.injectIntoGlobalHook(window);

const refresher: Refresher = {
  register: (type, id) => runtime.register(type, id),
  createSigner: () => runtime.createSignatureFunctionForTransform(),
  isComponent: (value) => runtime.isLikelyComponentType(value),
  perform: () => void runtime.performReactRefresh(),
};
window.__vitrine?.takeRefresher(refresher);
