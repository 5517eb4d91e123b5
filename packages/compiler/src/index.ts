export { checkDocument } from './check-document.ts';
export { checkScript, type ScriptKind, type SyntaxProblem } from './check-script.ts';
export {
  fileAddress,
  inlineProject,
  type InlinedProject,
  type ProjectFile,
} from './inline-project.ts';
export { instrumentHtml, positionAt, type Runtime } from './instrument-html.ts';
export { encodePath, resolvePath } from './resolve-path.ts';
export { findCssImports, flattenCss, rewriteCss, type CssRewriter } from './rewrite-css.ts';
export { rewriteModule } from './rewrite-module.ts';
