export { assetModule, findAssetQuery, importQuery, type AssetQuery } from './asset-modules.ts';
export { checkDocument } from './check-document.ts';
export { checkScript, type ScriptKind, type SyntaxProblem } from './check-script.ts';
export {
  anyFile,
  compileFile,
  compileScriptAtOnce,
  type CompilerParts,
  type TailwindSheets,
} from './compile-file.ts';
export { compilerGeneration, type ModuleContext } from './compile-module.ts';
export type { CompiledFile } from './compiled-file.ts';
export type { HotFacts } from './hot-module.ts';
export {
  isMarkdownPath,
  isPagePath,
  isScriptPath,
  isStylePath,
  runningTypes,
} from './file-kinds.ts';
export { declaredNames } from './declared-names.ts';
export { exportedNames } from './exported-names.ts';
export { findNearFile, fixMissingFile, replaceName } from './fixes.ts';
export { findModule } from './find-module.ts';
export { describeJsonMistake } from './json-words.ts';
export { quoted, wordKnown } from './known-words.ts';
export { findNear } from './near-name.ts';
export { createReadFilter, isCompiled, needsCompiling } from './needs-compiling.ts';
export {
  absentAddress,
  fileAddress,
  hasScripts,
  inlineMarkup,
  inlineModules,
  inlineProject,
  type InlinedProject,
  type ProjectFile,
} from './inline-project.ts';
export { instrumentHtml, positionAt, type Runtime } from './instrument-html.ts';
export { moduleAddress, renameImports } from './rename-imports.ts';
export { encodePath, resolvePath } from './resolve-path.ts';
export { findCssImports, flattenCss, rewriteCss, type CssRewriter } from './rewrite-css.ts';
export {
  createModuleContext,
  isSameFacts,
  readFacts,
  renewFacts,
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
export { findUnknownNames } from './unknown-names.ts';
