declare module '@vue/compiler-sfc/dist/compiler-sfc.esm-browser.js' {
  export {
    compileScript,
    compileStyle,
    compileTemplate,
    invalidateTypeCache,
    parse,
  } from '@vue/compiler-sfc';
}
