/**
 * The compilers of Svelte 3 and 4, as far as they are used and the same; `paths` in tsconfig.base.json
 * refers to this file. Their own declarations are of `svelte/compiler`, which is Svelte 5's here.
 */

interface Code {
  code: string;
  map: { mappings: string };
}
interface Warning {
  code: string;
  message: string;
  start?: { line: number; column: number };
}
interface CompileOptions {
  filename: string;
  generate: 'dom';
  dev: boolean;
  css: 'external' | 'injected';
  cssHash?(): string;
  enableSourcemap: { js: boolean; css: boolean };
  /** The map from the text to the file as written. */
  sourcemap?: object;
  discloseVersion?: false;
}
interface Script {
  content: string;
  attributes: Record<string, string | boolean>;
}
export function compile(
  text: string,
  options: CompileOptions,
): { js: Code; css: { code: string | null } | null; warnings: Warning[] };
export function preprocess(
  text: string,
  steps: { script(script: Script): { code: string; map: object | undefined } | undefined },
  options: { filename: string },
): Promise<{ code: string; map?: { mappings: string } }>;
