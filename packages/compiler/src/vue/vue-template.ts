/** Compiles the template of a Vue component to a separate function, which HMR can replace alone. */
import { findServedFile } from '@vitrine/project';
import type { SFCDescriptor } from '@vue/compiler-sfc';
import { resolvePath } from '../resolve-path.ts';
import type { CompileDiagnostic } from '../script/check-script.ts';
import { createMappedCode, type MappedCode } from '../component/mapped-code.ts';
import type { VueCompiler } from './load-compiler.ts';
import { describeVueErrors } from './vue-diagnostics.ts';
import type { VueScript } from './vue-script.ts';

export interface VueTemplate {
  code: MappedCode;
  problems: CompileDiagnostic[];
}

/** Name of the render function in the component's module. */
export const renderFunction = '__render';

/** Compiles the template. Undefined if there is none, and the component has its own render function. */
export function compileVueTemplate(
  vue: VueCompiler,
  { template, slotted, styles, source, filename }: SFCDescriptor,
  id: string,
  bindings: VueScript['bindings'],
  isTyped: boolean,
  exists: (path: string) => boolean,
): VueTemplate | undefined {
  if (!template?.ast) return undefined;
  const result = vue.compileTemplate({
    source: template.content,
    ast: template.ast,
    filename,
    id,
    scoped: styles.some(({ scoped }) => scoped),
    slotted,
    transformAssetUrls: { includeAbsolute: haveFiles(template.content, exists) },
    compilerOptions: {
      bindingMetadata: bindings,
      expressionPlugins: isTyped ? ['typescript'] : [],
    },
  });
  return {
    code: createMappedCode(
      result.code.replace(/\nexport function render(?=\()/, `\nfunction ${renderFunction}`),
      result.map,
    ),
    problems: describeVueErrors(result.errors, source),
  };
}

/** Whether all files exist that a template has at the root: `<img src="/vite.svg">`. */
function haveFiles(template: string, exists: (path: string) => boolean): boolean {
  const urls = template.matchAll(/\s(?:src|href|xlink:href|poster)\s*=\s*["'](\/[^"']*)["']/g);
  return Array.from(urls, ([, url = '']) => resolvePath('', url)).every(
    (path) => path !== undefined && findServedFile(path, exists) !== undefined,
  );
}
