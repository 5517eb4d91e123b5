/** The browser build of Vue 2's template compiler, which has no types. Limited to the used parts. */
declare module 'vue-template-compiler/browser.js' {
  interface TemplateElement {
    tag: string;
    attrs?: { name: string; value: string }[];
  }
  interface TemplateError {
    msg: string;
    /** Index in the template. */
    start?: number;
  }
  interface CompiledTemplate {
    /** Body of a function: `with(this){return …}` */
    render: string;
    staticRenderFns: string[];
    errors: TemplateError[];
  }
  interface TemplateOptions {
    outputSourceRange: true;
    whitespace: 'condense';
    modules: { postTransformNode(element: TemplateElement): void }[];
  }
  const compiler: { compile(template: string, options: TemplateOptions): CompiledTemplate };
  export default compiler;
}
