/** What keeps a page going over an edit of a component of Svelte. */
import { hasSameImports } from '../imported-values.ts';
import { joinCode, mapped, unmapped, type MappedCode } from '../mapped-code.ts';
import { applyEdits } from '../rewrite-module.ts';
import { shortHash } from '../short-hash.ts';
import { shiftMap } from '../source-map.ts';
import { keepState, openState } from './keep-state.ts';
import { openStateAddress } from './open-state.ts';

/** What makes two versions of a component the same one; anything else is itself. */
export const svelteIdentity = '(one) => one?.[$.HMR]?.current ?? one';

/** The code of a component, as Svelte's compiler made it, by which it keeps what it holds. */
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
 * Svelte begins a component anew that was edited. One whose styles alone were is the same code: it
 * goes on, and is what the next edit replaces.
 * `App[$.HMR].update(module.default)` → `if (module.__state === … && …) …; else` and the same
 */
function keepUnchanged(code: string, state: string): string {
  return code.replace(
    /([\w$]+)\[\$\.HMR\]\.update\(module\.default\)/,
    (update, name: string) =>
      `if (module.__state === ${state} && ${hasSameImports}) module.default[$.HMR].current = ${name}[$.HMR].current; else ${update}`,
  );
}
