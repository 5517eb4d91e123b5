/**
 * Components that are published as they were written, which is how Svelte's packages are: compiled
 * by the installation's own compiler, as those of a project are.
 */
import type { OnLoadResult } from 'esbuild';

/** 'Button.svelte', and modules with runes: 'state.svelte.js'. */
export function isSvelte(path: string): boolean {
  return /\.svelte(?:\.[jt]s)?$/.test(path);
}

/** The compiler is loaded when the first component comes: most packages have none. */
export async function compileSvelte(text: string, path: string): Promise<OnLoadResult> {
  const { compile, compileModule } = await import('svelte/compiler');
  const options = { filename: path, generate: 'client', dev: false } as const;
  const { js } = path.endsWith('.svelte')
    ? compile(text, { ...options, css: 'injected' })
    : compileModule(text, options);
  return { contents: js.code, loader: 'js' };
}
