import { hasSameImports } from '../imported-values.ts';
import { component } from './vue-script.ts';

/** Expression of a function that returns the same value for all versions of a component. */
export const vueIdentity = '(one) => one?.__hmrId ?? one';

/**
 * Creates HMR code. If the script (`state`) and the imported values are unchanged, only the render
 * function is replaced and the component keeps its state. Otherwise it is recreated. Vue's
 * development build has functions for both.
 */
export function hotCode(id: string, state: string): string {
  return `${component}.__hmrId = ${JSON.stringify(id)};
${component}.__state = ${JSON.stringify(state)};
if (import.meta.hot && typeof __VUE_HMR_RUNTIME__ !== 'undefined') {
  __VUE_HMR_RUNTIME__.createRecord(${component}.__hmrId, ${component});
  import.meta.hot.accept((module) => {
    const next = module?.default;
    if (!next) return;
    if (next.__state === ${JSON.stringify(state)} && ${hasSameImports})
      __VUE_HMR_RUNTIME__.rerender(next.__hmrId, next.render);
    else __VUE_HMR_RUNTIME__.reload(next.__hmrId, next);
  });
}`;
}
