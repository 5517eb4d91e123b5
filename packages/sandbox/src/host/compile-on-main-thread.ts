/**
 * Compiles small files on the page's own thread, where that takes less time than asking the worker. The
 * change then reaches the frame before the keystroke is painted. A worker's response can't: Chromium
 * delays messages to the page until after the paint that follows a keystroke.
 */
import {
  compileScriptSync,
  type CompiledFile,
  type ModuleContext,
  type TransformScript,
} from '@vitrine/compiler';
import type { CompiledTransform } from '@vitrine/compiler/wasm/start';

/** Longest file compiled here, in UTF-16 units; it parses in about 1 ms. */
const maxCharacters = 10_000;

/** oxc of this thread. Set once the worker has loaded it; cleared if it throws. */
let transform: TransformScript | undefined;

/** Instantiates oxc for TypeScript and JSX from the module that the worker compiled. */
export async function startMainThreadTransform(compiled: CompiledTransform): Promise<void> {
  const { startTransform } = await import('@vitrine/compiler/wasm/start');
  transform = startTransform(compiled);
}

/** Returns undefined for a file that the worker has to compile. */
export function compileOnMainThread(
  source: { path: string; text: string },
  context: ModuleContext,
): CompiledFile | undefined {
  if (source.text.length > maxCharacters) return undefined;
  try {
    return compileScriptSync(source, context, transform);
  } catch {
    // The worker runs into the same error and reports it as a diagnostic.
    transform = undefined;
    return undefined;
  }
}
