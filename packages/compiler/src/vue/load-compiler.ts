// oxlint-disable-next-line typescript/triple-slash-reference -- it has nothing to be imported
/// <reference path="./compiler-sfc.d.ts" />
/**
 * Loads Vue's compiler with the first component. Browser and Node use the same build, so that both
 * produce the same code.
 */
import type * as compiler from '@vue/compiler-sfc/dist/compiler-sfc.esm-browser.js';

export type VueCompiler = typeof compiler;

export function loadVueCompiler(): Promise<VueCompiler> {
  return import('@vue/compiler-sfc/dist/compiler-sfc.esm-browser.js');
}
