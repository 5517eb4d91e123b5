/**
 * Compiles Svelte components, which packages publish uncompiled, with the compiler of this
 * installation, as for components of a project.
 */
import type { OnLoadResult } from 'esbuild';

/** Whether a file is a component ('Button.svelte') or a module with runes ('state.svelte.js'). */
export function isSvelte(path: string): boolean {
  return /\.svelte(?:\.[jt]s)?$/.test(path);
}

/**
 * Compiles a component or a module with runes. The compiler is loaded on first use, because most
 * packages have no components.
 */
export async function compileSvelte(text: string, path: string): Promise<OnLoadResult> {
  const { compile, compileModule } = await import('svelte/compiler');
  const options = { filename: path, generate: 'client', dev: false } as const;
  const { js } = path.endsWith('.svelte')
    ? compile(text, { ...options, css: 'injected' })
    : compileModule(text, options);
  return { contents: js.code, loader: 'js' };
}
