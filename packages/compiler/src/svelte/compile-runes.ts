/** Compiles scripts with Svelte runes (`.svelte.js`, `.svelte.ts`). */
import type { CompileDiagnostic } from '../script/check-script.ts';
import type { CompiledText } from '../compiled-file.ts';
import {
  createFailedComponent,
  finishModule,
  startPosition,
} from '../component/finish-component.ts';
import {
  composeMappings,
  createMappedCode,
  createScriptMap,
  type MappedCode,
} from '../component/mapped-code.ts';
import { createPositionMapper } from '../source-map.ts';
import { loadSvelteCompiler, svelteOptions } from './load-compiler.ts';
import { describeSvelteError } from './svelte-diagnostics.ts';
import type { ModuleSource, LanguageContext } from '../compile-context.ts';

export async function compileRunes(
  source: ModuleSource,
  context: LanguageContext,
): Promise<CompiledText> {
  const { path, text } = source;
  const plain = path.endsWith('.ts') ? await removeTypes(source, context) : { code: text };
  if ('problems' in plain) return createFailedComponent(path, plain.problems);
  const svelte = await loadSvelteCompiler();
  try {
    const { js } = svelte.compileModule(plain.code, svelteOptions(path));
    const compiled = createMappedCode(js.code, js.map);
    const code =
      'mappings' in plain
        ? { ...compiled, mappings: composeMappings(compiled.mappings, plain.mappings) }
        : compiled;
    return finishModule(source, code, context);
  } catch (error) {
    const problem = describeSvelteError(error, plain.code);
    if (!('mappings' in plain)) return createFailedComponent(path, [problem]);
    const find = createPositionMapper(createScriptMap(path, '', plain.mappings).mappings);
    return createFailedComponent(path, [{ ...problem, ...(find(problem) ?? startPosition) }]);
  }
}

async function removeTypes(
  { path, text }: ModuleSource,
  { loadTransform, settings }: LanguageContext,
): Promise<MappedCode | { problems: CompileDiagnostic[] }> {
  const transform = await loadTransform();
  const { code, map, problems } = transform(path, text, { ...settings, refreshLibrary: null });
  return problems.length > 0 ? { problems } : createMappedCode(code, map);
}
