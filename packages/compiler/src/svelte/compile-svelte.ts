/**
 * Compiles Svelte components (`.svelte`) to modules with Svelte's own HMR. Svelte removes types
 * itself.
 */
import type { LanguageContext } from '../compile-file.ts';
import type { ModuleSource } from '../compile-module.ts';
import type { CompiledText } from '../compiled-file.ts';
import { styleCode } from '../component-styles.ts';
import { failedComponent, finishComponent } from '../finish-component.ts';
import { joinCode, unmapped } from '../mapped-code.ts';
import { shortHash } from '../short-hash.ts';
import { loadSvelteCompiler, svelteOptions, type SvelteCompiler } from './load-compiler.ts';
import { hotCode, svelteIdentity } from './svelte-hot.ts';
import { describeSvelteError, describeWarnings } from './svelte-problems.ts';
import { replaceStyle } from './svelte-style.ts';

export async function compileSvelte(
  source: ModuleSource,
  context: LanguageContext,
): Promise<CompiledText> {
  const { path } = source;
  const svelte = await loadSvelteCompiler();
  const style = await replaceStyle(source, context);
  if (style.problems.length > 0) return failedComponent(path, style.problems);
  const made = tryCompile(svelte, path, style.text);
  if ('sentence' in made) return failedComponent(path, [made]);

  const id = `svelte-${shortHash(path)}`;
  const code = joinCode([
    hotCode(made.js, path),
    unmapped(styleCode(path, id, made.css?.code ?? '', context.exists)),
  ]);
  const finished = await finishComponent(source, code, context, { identity: svelteIdentity });
  const warnings = describeWarnings(made.warnings, style.text === source.text);
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
