// oxlint-disable-next-line typescript/triple-slash-reference -- it has nothing to be imported
/// <reference path="./compiler-sfc.d.ts" />
/**
 * Vue's compiler, in the same build in the browser and in Node, so that both give the same code. It
 * is loaded with the first component.
 */
import type * as compiler from '@vue/compiler-sfc/dist/compiler-sfc.esm-browser.js';

export type VueCompiler = typeof compiler;

export function loadVueCompiler(): Promise<VueCompiler> {
  return import('@vue/compiler-sfc/dist/compiler-sfc.esm-browser.js');
}
