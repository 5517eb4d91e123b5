import { needsTransform } from '../src/compile-module.ts';
import { transformScript } from '../src/native.ts';
import type { TransformedScript } from '../src/script/transform-script.ts';
import type { ModuleContext, ModuleSource } from '../src/compile-context.ts';

/** Transforms a TypeScript or JSX script to JavaScript for `compileModule`. */
export function transformTyped(
  source: ModuleSource,
  { settings }: ModuleContext,
): TransformedScript | undefined {
  if (!needsTransform(source)) return undefined;
  return transformScript(source.path, source.text, settings);
}
