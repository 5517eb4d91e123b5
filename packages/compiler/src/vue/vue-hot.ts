import { hasSameImports } from '../imported-values.ts';
import { component } from './vue-script.ts';

/** What makes two versions of a component the same one; anything else is itself. */
export const vueIdentity = '(one) => one?.__hmrId ?? one';

/**
 * Puts an edit in without a reload. Of a component whose script is as before (`state` is the
 * same), and so is what it imports, only the function of the template is replaced, and what it holds is kept; any other is made anew
 * wherever it is shown. Vue's development build has the functions for both.
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
