import { needsTransform, type ModuleContext, type ModuleSource } from '../src/compile-module.ts';
import { transformScript } from '../src/native.ts';
import type { TransformedScript } from '../src/transform-script.ts';

/** The JavaScript of a script that is not written in it, as `compileModule` wants it. */
export function transformTyped(
  source: ModuleSource,
  { settings }: ModuleContext,
): TransformedScript | undefined {
  if (!needsTransform(source)) return undefined;
  return transformScript(source.path, source.text, settings);
}
