/**
 * Compiles Svelte components (`.svelte`) to modules with Svelte's own HMR. Svelte removes types
 * itself.
 */
import type { LanguageContext } from '../compile-file.ts';
import type { ModuleSource } from '../compile-module.ts';
import type { CompiledText } from '../compiled-file.ts';
import { styleCode } from '../component-styles.ts';
import { failedComponent, finishComponent } from '../finish-component.ts';
import { joinCode, unmapped, mapped, type MappedCode } from '../mapped-code.ts';
import { shortHash } from '../short-hash.ts';
import { loadSvelteCompiler, svelteOptions, type SvelteCompiler } from './load-compiler.ts';
import { describeSvelteError, describeWarnings } from './svelte-problems.ts';
import { hasSameImports } from '../imported-values.ts';
import { applyEdits } from '../rewrite-module.ts';
import { shiftMap } from '../source-map.ts';
import { keepState, openState } from './keep-state.ts';
import { openStateAddress } from './open-state.ts';
import { blockStyleLanguages, compileBlockStyle, shiftPlace } from '../block-style.ts';
import type { SyntaxProblem } from '../check-script.ts';
import { positionAt } from '../instrument-html.ts';

export async function compileSvelte(
  source: ModuleSource,
  context: LanguageContext,
): Promise<CompiledText> {
  const { path } = source;
  const svelte = await loadSvelteCompiler();
  const style = await compileStyleBlock(source, context);
  if (style.problems.length > 0) return failedComponent(path, style.problems);
  const compiled = tryCompile(svelte, path, style.text);
  if ('sentence' in compiled) return failedComponent(path, [compiled]);

  const id = `svelte-${shortHash(path)}`;
  const code = joinCode([
    addHmrCode(compiled.js, path),
    unmapped(styleCode(path, id, compiled.css?.code ?? '', context.exists)),
  ]);
  const finished = await finishComponent(source, code, context, { identity: svelteIdentity });
  const warnings = describeWarnings(compiled.warnings, style.text === source.text);
  return { ...finished, problems: [...finished.problems, ...warnings] };
}

function tryCompile(svelte: SvelteCompiler, path: string, text: string) {
  try {
    return svelte.compile(text, {
      ...svelteOptions(path),
      css: 'external',
      // Depends on the path only, so that an edit of the styles doesn't change the rest of the code.
      cssHash: () => `svelte-${shortHash(path)}`,
      discloseVersion: false,
      hmr: true,
    });
  } catch (error) {
    return describeSvelteError(error, text);
  }
}

/** Expression of a function that returns the same value for all versions of a component. */
const svelteIdentity = '(one) => one?.[$.HMR]?.current ?? one';

/** Adds HMR code to the output of Svelte's compiler, to preserve the component's state. */
function addHmrCode(
  { code, map }: { code: string; map: { mappings: string } },
  path: string,
): MappedCode {
  const edits = keepState(code, path);
  const state = JSON.stringify(shortHash(code));
  return joinCode([
    mapped(keepUnchanged(applyEdits(code, edits), state), shiftMap(map, code, edits)),
    unmapped(`import ${openState} from ${JSON.stringify(openStateAddress)};`),
    unmapped(`export const __state = ${state};`),
  ]);
}

/**
 * Svelte recreates an edited component. If only its styles have changed, the code is the same and the
 * running version is kept, and replaced by the next edit.
 * `App[$.HMR].update(module.default)` → `if (module.__state === … && …) …; else` and the original call
 */
function keepUnchanged(code: string, state: string): string {
  return code.replace(
    /([\w$]+)\[\$\.HMR\]\.update\(module\.default\)/,
    (update, name: string) =>
      `if (module.__state === ${state} && ${hasSameImports}) module.default[$.HMR].current = ${name}[$.HMR].current; else ${update}`,
  );
}

/** Matches comments, which are skipped, and styles: group 1 is the tag, group 2 its content. */
const block = /<!--[\s\S]*?-->|(<style(?:\s[^>]*)?>)([\s\S]*?)<\/style>/g;

/** Replaces the style by CSS with the same number of lines. */
async function compileStyleBlock(
  { path, text }: ModuleSource,
  context: LanguageContext,
): Promise<{ text: string; problems: SyntaxProblem[] }> {
  const found = [...text.matchAll(block)].find(([, tag]) => tag !== undefined);
  const [, tag = '', content = ''] = found ?? [];
  const language = /\slang\s*=\s*["']?([\w-]+)/.exec(tag)?.[1] ?? 'css';
  if (!found || language === 'css') return { text, problems: [] };
  const at = found.index + tag.length;
  const place = positionAt(text, at);
  if (!blockStyleLanguages.includes(language)) {
    const sentence = `Styles in “${language}” aren’t supported. Use “scss”, “less” or “css”.`;
    return { text, problems: [{ sentence, ...place }] };
  }
  const style = await compileBlockStyle(
    { path, text: content, language, isModule: false },
    context,
  );
  const lines = '\n'.repeat(content.split('\n').length - 1);
  const css = style.css.replaceAll('\n', ' ') + lines;
  return {
    text: text.slice(0, at) + css + text.slice(at + content.length),
    problems: style.problems.map((one) => shiftPlace(one, place)),
  };
}
