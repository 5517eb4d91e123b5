/// <reference path="./compiler-sfc.d.ts" />
/**
 * Vue's compiler, in the same build in the browser and in Node, so that both give the same code. It
 * is loaded with the first component.
 */
export type VueCompiler = typeof import('@vue/compiler-sfc/dist/compiler-sfc.esm-browser.js');

export function loadVueCompiler(): Promise<VueCompiler> {
  return import('@vue/compiler-sfc/dist/compiler-sfc.esm-browser.js');
}
