/** HMR code of Svelte components. */
import { hasSameImports } from '../imported-values.ts';
import { joinCode, mapped, unmapped, type MappedCode } from '../mapped-code.ts';
import { applyEdits } from '../rewrite-module.ts';
import { shortHash } from '../short-hash.ts';
import { shiftMap } from '../source-map.ts';
import { keepState, openState } from './keep-state.ts';
import { openStateAddress } from './open-state.ts';

/** Expression of a function that returns the same value for all versions of a component. */
export const svelteIdentity = '(one) => one?.[$.HMR]?.current ?? one';

/** Adds HMR code to the output of Svelte's compiler, to preserve the component's state. */
export function hotCode(
  { code, map }: { code: string; map: { mappings: string } },
  path: string,
): MappedCode {
  const edits = keepState(code, path);
  const state = JSON.stringify(shortHash(code));
  return joinCode([
    mapped(keepUnchanged(applyEdits(code, edits), state), shiftMap(map, code, edits)),
    unmapped(`import ${openState} from ${JSON.stringify(openStateAddress)};`),
    unmapped(`export const __state = ${state};`),
  ]);
}

/**
 * Svelte recreates an edited component. If only its styles have changed, the code is the same and the
 * running version is kept, and replaced by the next edit.
 * `App[$.HMR].update(module.default)` → `if (module.__state === … && …) …; else` and the original call
 */
function keepUnchanged(code: string, state: string): string {
  return code.replace(
    /([\w$]+)\[\$\.HMR\]\.update\(module\.default\)/,
    (update, name: string) =>
      `if (module.__state === ${state} && ${hasSameImports}) module.default[$.HMR].current = ${name}[$.HMR].current; else ${update}`,
  );
}
