/**
 * Compiles what takes less time than asking the worker for it: then what a key changes is on its way
 * before the letter itself is drawn. The worker's answer comes behind that at best, since Chromium
 * holds up what a page is told from the key to its frame.
 */
import {
  compileScriptAtOnce,
  type CompiledFile,
  type ModuleContext,
  type TransformScript,
} from '@vitrine/compiler';
import type { CompiledTransform } from '@vitrine/compiler/wasm/start';

/** Parsed in about a millisecond. */
const mostCharacters = 10_000;

/** This page's own, once the worker has needed one; undefined again where it has thrown. */
let transform: TransformScript | undefined;

/** From now on TypeScript and JSX are compiled here too. The worker has compiled the file itself. */
export async function transformPromptly(compiled: CompiledTransform): Promise<void> {
  const { startTransform } = await import('@vitrine/compiler/wasm/start');
  transform = startTransform(compiled);
}

/** Undefined for whatever is for the worker. */
export function compilePromptly(
  source: { path: string; text: string },
  context: ModuleContext,
): CompiledFile | undefined {
  if (source.text.length > mostCharacters) return undefined;
  try {
    return compileScriptAtOnce(source, context, transform);
  } catch {
    // The worker meets it too, and makes a problem of it.
    transform = undefined;
    return undefined;
  }
}
