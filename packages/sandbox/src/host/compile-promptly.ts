/**
 * Compiles what takes less time than asking the worker for it: then what a key changes is on its way
 * before the letter itself is drawn.
 */
import { compilePlainScript, type CompiledFile, type ModuleContext } from '@vitrine/compiler';

/** Parsed in about a millisecond. */
const mostCharacters = 10_000;

/** Undefined for whatever is for the worker. */
export function compilePromptly(
  source: { path: string; text: string },
  context: ModuleContext,
): CompiledFile | undefined {
  if (source.text.length > mostCharacters) return undefined;
  try {
    return compilePlainScript(source, context);
  } catch {
    // The worker meets it too, and makes a problem of it.
    return undefined;
  }
}
