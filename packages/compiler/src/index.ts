export { assetModule, hasAssetModule, moduleQuery } from './asset-modules.ts';
export { checkDocument } from './check-document.ts';
export { checkScript, type ScriptKind, type SyntaxProblem } from './check-script.ts';
export {
  compileModule,
  compilerGeneration,
  needsTransform,
  type CompiledFile,
  type ModuleContext,
} from './compile-module.ts';
export { isScriptPath, needsCompiling } from './needs-compiling.ts';
export { compilePage, pageNeedsCompiling } from './compile-page.ts';
export { findImports } from './find-imports.ts';
export {
  fileAddress,
  inlineProject,
  type InlinedProject,
  type ProjectFile,
} from './inline-project.ts';
export { instrumentHtml, positionAt, type Runtime } from './instrument-html.ts';
export { encodePath, resolvePath } from './resolve-path.ts';
export { findCssImports, flattenCss, rewriteCss, type CssRewriter } from './rewrite-css.ts';
export {
  createModuleContext,
  isSameFacts,
  readFacts,
  type PackageOptions,
  type ProjectFacts,
} from './project-facts.ts';
export {
  createPlaceFinder,
  mapText,
  withInlineMap,
  type FindOriginal,
  type Position,
} from './source-map.ts';
export type { ScriptMap, TransformScript } from './transform-script.ts';
