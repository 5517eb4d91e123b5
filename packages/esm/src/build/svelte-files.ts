/*
 * Compiles Svelte's files, which packages publish uncompiled. Their code is written for the runtime of
 * one major version, so it is compiled by the compiler of the Svelte that the package imports. The
 * compilers are this installation's own, and are loaded on first use, because most packages have no
 * such files.
 */
import { transformSync, type OnLoadResult } from 'esbuild';

/** Major version whose compiler is used unless a package imports an earlier one. */
export const newestSvelte = 5;

/**
 * Whether a file is a component ('Button.svelte') or, since Svelte 5, a module with runes
 * ('state.svelte.js').
 */
export function isSvelte(path: string, major: number): boolean {
  return major < newestSvelte ? path.endsWith('.svelte') : /\.svelte(?:\.[jt]s)?$/.test(path);
}

/** Compiles a component or a module with runes for a major version of Svelte. */
export async function compileSvelte(
  text: string,
  path: string,
  major: number,
): Promise<OnLoadResult> {
  try {
    const contents = await (major < newestSvelte
      ? compileEarlier(text, path, major)
      : compileNewest(text, path));
    return { contents, loader: 'js' };
  } catch (error) {
    return { errors: [describeError(error, path)] };
  }
}

async function compileNewest(text: string, path: string): Promise<string> {
  const { compile, compileModule } = await import('svelte/compiler');
  const options = { filename: path, generate: 'client', dev: false } as const;
  const { js } = path.endsWith('.svelte')
    ? compile(text, { ...options, css: 'injected' })
    : compileModule(text, options);
  return js.code;
}

async function compileEarlier(text: string, path: string, major: number): Promise<string> {
  if (major < 3) throw new Error(`Svelte ${major} components aren’t supported`);
  const { compile, preprocess } = await (major === 3
    ? import('svelte3/compiler')
    : import('svelte4/compiler'));
  // These compilers leave types to preprocessors.
  const script = ({ content, attributes }: { content: string; attributes: object }) =>
    'lang' in attributes && /^(?:ts|typescript)$/.test(String(attributes.lang))
      ? { code: removeTypes(content), map: undefined }
      : undefined;
  const { code } = await preprocess(text, { script }, { filename: path });
  return compile(code, {
    filename: path,
    generate: 'dom',
    dev: false,
    css: 'injected',
    enableSourcemap: { js: false, css: false },
  }).js.code;
}

/** Removes types, and keeps every import that isn’t `import type`: markup may use it. */
function removeTypes(script: string): string {
  const tsconfigRaw = { compilerOptions: { verbatimModuleSyntax: true } };
  return transformSync(script, { loader: 'ts', target: 'esnext', tsconfigRaw }).code;
}

/** Error of a compiler with its location, as esbuild reports those of scripts. */
function describeError(error: unknown, path: string) {
  const text = error instanceof Error ? error.message : String(error);
  const start: unknown = error instanceof Error && 'start' in error ? error.start : undefined;
  const line =
    typeof start === 'object' && start !== null && 'line' in start ? Number(start.line) : 1;
  return { text, location: { file: path, namespace: 'package', line } };
}
