/**
 * Compiles what takes less time than asking the worker for it: then what a key changes is on its way
 * before the letter itself is drawn, and need not wait until it is.
 */
import {
  compileScriptAtOnce,
  needsTransform,
  type CompiledFile,
  type ModuleContext,
  type TransformScript,
} from '@vitrine/compiler';
import type { CompiledOxc } from '@vitrine/compiler/wasm';

/** Parsed in about a millisecond. */
const mostCharacters = 10_000;

/** How long the worker took for a text of a file. */
export interface Measured {
  characters: number;
  ms: number;
}

/** There are short texts that a parser of types takes seconds for; the worker meets each of them first. */
const quick = { withinMs: 4, byCharacters: 200 };

let transform: TransformScript | undefined;
let isTransformWanted = true;

/** Undefined for whatever is for the worker; `last` is what it took for this file before. */
export function compilePromptly(
  source: { path: string; text: string },
  context: ModuleContext,
  last: Measured | undefined,
): CompiledFile | undefined {
  if (source.text.length > mostCharacters) return undefined;
  try {
    return compileScriptAtOnce(source, context, isQuick(source.text, last) ? transform : undefined);
  } catch (error) {
    // After a trap its memory cannot be relied on.
    if (error instanceof WebAssembly.RuntimeError) transform = undefined;
    // The worker meets it too, and makes a problem of it.
    return undefined;
  }
}

function isQuick(text: string, last: Measured | undefined): boolean {
  if (!last || last.ms > quick.withinMs) return false;
  return Math.abs(text.length - last.characters) <= quick.byCharacters;
}

/** True once: for the first file that is compiled by oxc, which the worker can give to this thread. */
export function wantsTransform(source: { path: string; text: string }): boolean {
  const isWanted = isTransformWanted && needsTransform(source);
  if (isWanted) isTransformWanted = false;
  return isWanted;
}

/** From now on scripts in TypeScript and JSX are compiled here too. */
export async function takeTransform(oxc: CompiledOxc): Promise<void> {
  const { startTransform } = await import('@vitrine/compiler/wasm');
  transform = startTransform(oxc);
}
