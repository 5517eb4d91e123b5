/** Compiles scripts: TypeScript, JSX and decorators to JavaScript, then imports to URLs. */
import type { CompilerParts } from './compile-file.ts';
import {
  compileModule,
  needsTransform,
  type ModuleContext,
  type ModuleSource,
} from './compile-module.ts';
import type { CompiledText } from './compiled-file.ts';
import { holdsDecorators } from './decorators.ts';
import type { TransformedScript } from './transform-script.ts';

/** Loads the transform with the first script that needs it. */
type ScriptContext = ModuleContext & Pick<CompilerParts, 'loadTransform'>;

export async function compileScript(
  source: ModuleSource,
  context: ScriptContext,
): Promise<CompiledText> {
  return compileModule(source, context, await transformScript(source, context));
}

/** Returns undefined if browsers can run the source. */
async function transformScript(
  source: ModuleSource,
  { loadTransform, settings }: ScriptContext,
): Promise<TransformedScript | undefined> {
  const typed = needsTransform(source)
    ? (await loadTransform())(source.path, source.text, settings)
    : undefined;
  if (typed && typed.problems.length > 0) return typed;
  if (!holdsDecorators(typed?.code ?? source.text)) return typed;
  const { translateDecorators } = await import('./translate-decorators.ts');
  return translateDecorators(source, typed);
}
