/**
 * Compiles components of Svelte 3 and 4 with the compiler of that version. They have no HMR of their own,
 * so an edit reloads the page.
 */
import type { CompiledText } from '../compiled-file.ts';
import { createStyleCode } from '../component/component-styles.ts';
import {
  createFailedComponent,
  finishModule,
  startPosition,
} from '../component/finish-component.ts';
import { concatenateCode, createMappedCode, createUnmappedCode } from '../component/mapped-code.ts';
import type { CompileDiagnostic } from '../script/check-script.ts';
import { createShortHash } from '../short-hash.ts';
import { createPositionMapper } from '../source-map.ts';
import { loadEarlierSvelteCompiler, type EarlierSvelteCompiler } from './load-compiler.ts';
import { compileStyleBlock } from './style-block.ts';
import { describeSvelteError, describeSvelteWarnings } from './svelte-diagnostics.ts';
import type { ModuleSource, LanguageContext } from '../compile-context.ts';

export async function compileEarlierSvelte(
  source: ModuleSource,
  context: LanguageContext,
  major: 3 | 4,
): Promise<CompiledText> {
  const { path } = source;
  const svelte = await loadEarlierSvelteCompiler(major);
  const style = await compileStyleBlock(source, context);
  if (style.problems.length > 0) return createFailedComponent(path, style.problems);
  const untyped = await removeTypes(svelte, { path, text: style.text }, context);
  if ('problems' in untyped) return createFailedComponent(path, untyped.problems);
  const hash = createShortHash(path);
  try {
    const { js, css, warnings } = svelte.compile(untyped.code, {
      filename: path,
      generate: 'dom',
      dev: true,
      css: 'external',
      cssHash: () => `svelte-${hash}`,
      // The map of styles would be written with `window.btoa`, which workers lack.
      enableSourcemap: { js: true, css: false },
      ...(untyped.map && { sourcemap: untyped.map }),
      ...(major === 4 && { discloseVersion: false }),
    });
    const styles = createStyleCode(path, `svelte-${hash}`, css?.code ?? '', context.exists);
    const code = concatenateCode([createMappedCode(js.code, js.map), createUnmappedCode(styles)]);
    const finished = finishModule(source, code, context);
    const described = describeSvelteWarnings(warnings, style.text === source.text);
    return {
      ...finished,
      problems: [...finished.problems, ...described.map(toSource(untyped.map))],
    };
  } catch (error) {
    const problem = describeSvelteError(error, untyped.code);
    return createFailedComponent(path, [toSource(untyped.map)(problem)]);
  }
}

/** Maps a diagnostic of a component without types to the component as written. */
function toSource(map: { mappings: string } | undefined) {
  const find = map && createPositionMapper(map.mappings);
  return (problem: CompileDiagnostic): CompileDiagnostic =>
    find ? { ...problem, ...(find(problem) ?? startPosition) } : problem;
}

interface UntypedComponent {
  code: string;
  /** Map to the component as written; undefined without TypeScript. */
  map?: { mappings: string } | undefined;
}

/** Removes the types of scripts with `lang="ts"`, which these compilers leave to preprocessors. */
async function removeTypes(
  svelte: EarlierSvelteCompiler,
  { path, text }: ModuleSource,
  { loadTransform, settings }: LanguageContext,
): Promise<UntypedComponent | { problems: CompileDiagnostic[] }> {
  if (!/<script[^>]*\slang\s*=\s*["']?(?:ts|typescript)\b/.test(text)) return { code: text };
  const transform = await loadTransform();
  const problems: CompileDiagnostic[] = [];
  const script = ({ content, attributes }: { content: string; attributes: object }) => {
    if (!('lang' in attributes && /^(?:ts|typescript)$/.test(String(attributes.lang))))
      return undefined;
    const options = { ...settings, refreshLibrary: null, keepsImports: true };
    const { code, map, problems: found } = transform(`${path}.ts`, content, options);
    const before = text.slice(0, text.indexOf(content)).split('\n');
    problems.push(
      ...found.map((one) => ({
        ...one,
        line: one.line + before.length - 1,
        column: one.line === 1 ? one.column + (before.at(-1)?.length ?? 0) : one.column,
      })),
    );
    const name = path.slice(path.lastIndexOf('/') + 1);
    return { code, map: map && { version: 3, ...map, sources: [name] } };
  };
  const { code, map } = await svelte.preprocess(text, { script }, { filename: path });
  return problems.length > 0 ? { problems } : { code, map };
}
