/** Compiles scripts with Svelte runes (`.svelte.js`, `.svelte.ts`). */
import type { SyntaxProblem } from '../check-script.ts';
import type { LanguageContext } from '../compile-file.ts';
import type { ModuleSource } from '../compile-module.ts';
import type { CompiledText } from '../compiled-file.ts';
import { failedComponent, finishModule, start } from '../finish-component.ts';
import { followMap, mapped, toScriptMap, type MappedCode } from '../mapped-code.ts';
import { createPlaceFinder } from '../source-map.ts';
import { loadSvelteCompiler, svelteOptions } from './load-compiler.ts';
import { describeSvelteError } from './svelte-problems.ts';

export async function compileRunes(
  source: ModuleSource,
  context: LanguageContext,
): Promise<CompiledText> {
  const { path, text } = source;
  const plain = path.endsWith('.ts') ? await removeTypes(source, context) : { code: text };
  if ('problems' in plain) return failedComponent(path, plain.problems);
  const svelte = await loadSvelteCompiler();
  try {
    const { js } = svelte.compileModule(plain.code, svelteOptions(path));
    const compiled = mapped(js.code, js.map);
    const code =
      'mappings' in plain
        ? { ...compiled, mappings: followMap(compiled.mappings, plain.mappings) }
        : compiled;
    return finishModule(source, code, context);
  } catch (error) {
    const problem = describeSvelteError(error, plain.code);
    if (!('mappings' in plain)) return failedComponent(path, [problem]);
    const find = createPlaceFinder(toScriptMap(path, '', plain.mappings).mappings);
    return failedComponent(path, [{ ...problem, ...(find(problem) ?? start) }]);
  }
}

async function removeTypes(
  { path, text }: ModuleSource,
  { loadTransform, settings }: LanguageContext,
): Promise<MappedCode | { problems: SyntaxProblem[] }> {
  const transform = await loadTransform();
  const { code, map, problems } = transform(path, text, { ...settings, refresh: null });
  return problems.length > 0 ? { problems } : mapped(code, map);
}
