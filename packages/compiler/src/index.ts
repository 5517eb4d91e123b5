export {
  createAssetModule,
  findAssetQuery,
  getImportQuery,
  type AssetQuery,
} from './asset-modules.ts';
export { checkInlineScripts } from './check-inline-scripts.ts';
export { checkScript, type ScriptKind, type CompileDiagnostic } from './check-script.ts';
export {
  anyFilePath,
  compileFile,
  compileScriptSync,
  type CompilerLoaders,
  type TailwindSheets,
} from './compile-file.ts';
export { compilerGeneration, type ModuleContext } from './compile-module.ts';
export type { CompiledFile } from './compiled-file.ts';
export type { HmrInfo } from './hmr-module.ts';
export {
  isMarkdownPath,
  isPagePath,
  isScriptPath,
  isStylePath,
  outputTypes,
} from './file-kinds.ts';
export { findDeclaredNames } from './declared-names.ts';
export { findClosestFile, createMissingFileFixes, createReplaceFix } from './quick-fixes.ts';
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
} from './inline-project.ts';
export { instrumentHtml, getPosition, type RuntimeScript } from './instrument-html.ts';
export { getProjectModuleUrl, renameImports } from './rename-imports.ts';
export { encodePath, resolvePath } from './resolve-path.ts';
export { findExportedNames } from './rewrite-module.ts';
export { findCssImports, flattenCss, rewriteCss, type CssUrlRewriter } from './rewrite-css.ts';
export {
  createModuleContext,
  isSameProjectConfig,
  readProjectConfig,
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
export type { SourceMap, TransformScript } from './transform-script.ts';
export { findUnknownNames } from './unknown-names.ts';
