export {
  createAssetModule,
  findAssetQuery,
  getImportQuery,
  type AssetQuery,
} from './asset-modules.ts';
export { checkInlineScripts } from './page/check-inline-scripts.ts';
export { checkScript, type ScriptKind, type CompileDiagnostic } from './script/check-script.ts';
export { anyFilePath, compileFile, compileScriptSync } from './compile-file.ts';
export type { CompilerLoaders, ModuleContext, TailwindSheets } from './compile-context.ts';
export { compilerGeneration } from './compile-module.ts';
export type { CompiledFile } from './compiled-file.ts';
export type { HmrInfo } from './script/hmr-module.ts';
export {
  isMarkdownPath,
  isPagePath,
  isScriptPath,
  isStylePath,
  outputTypes,
} from './file-kinds.ts';
export { findDeclaredNames } from './script/declared-names.ts';
export {
  findClosestFile,
  createMissingFileFixes,
  createReplaceFix,
  resolveMissing,
  type MissingFileUse,
} from './quick-fixes.ts';
export { findModule } from './find-module.ts';
export { describeJsonError } from './error-messages/json-messages.ts';
export { formatParserMessage, translateParserMessage } from './error-messages/parser-messages.ts';
export { findClosestName } from './error-messages/closest-name.ts';
export { createReadFilter, usesCompiler, needsCompiling } from './needs-compiling.ts';
export {
  createMissingFileUrl,
  createFileUrl,
  hasScripts,
  inlinePageWithoutScripts,
  inlineUpdatedModules,
  inlineProject,
  type InlinedProject,
  type OutputFile,
} from './page/inline-project.ts';
export { instrumentHtml, getPosition, type RuntimeScript } from './page/instrument-html.ts';
export { getProjectModuleUrl, renameImports } from './rename-imports.ts';
export { encodePath, resolvePath } from './resolve-path.ts';
export {
  applyEdits,
  findAssetUrlEdits,
  findExportedNames,
  findImportEdits,
  isLexerError,
} from './rewrite-module.ts';
export { findCssImports, flattenCss, rewriteCss, type CssUrlRewriter } from './rewrite-css.ts';
export {
  createModuleContext,
  isSameProjectConfig,
  readProjectConfig,
  affectsConfig,
  mayChangeProjectConfig,
  type PackageOptions,
  type ProjectConfig,
} from './project-config.ts';
export {
  createPositionMapper,
  serializeMap,
  appendInlineMap,
  type MapPosition,
  type Position,
} from './source-map.ts';
export type { SourceMap, TransformScript } from './script/transform-script.ts';
export { findUnknownNames } from './script/unknown-names.ts';
