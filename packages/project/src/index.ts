export { createFairLimit, type FairLimit } from './fair-limit.ts';
export { createFairQueue } from './fair-queue.ts';
export { limits } from './limits.ts';
export { isLoadFailure } from './retry-loading.ts';
export { findChangedRange, type ChangedRange } from './changed-range.ts';
export {
  errorCatalog,
  describeError,
  findErrorCode,
  isErrorCode,
  isUnreachable,
  VitrineError,
  type ErrorCatalogEntry,
  type ErrorCode,
  type ErrorDescription,
} from './errors.ts';
export {
  createRateLimiter,
  toRateLimitKey,
  TokenBucket,
  type RateLimiter,
  type RateLimiterOptions,
} from './rate-limiter.ts';
export { applyQuickFix, type QuickFix, type QuickFixEdit } from './quick-fix.ts';
export {
  createFile,
  createDocumentFromFiles,
  createFreePath,
  changesPaths,
  documentFormat,
  hasSamePaths,
  listFiles,
  listTextFiles,
  readFiles,
  removeFile,
  renameFile,
  renameFiles,
  replaceFile,
  restoreFile,
  type DocumentAssetFile,
  type DocumentFile,
  type DocumentTextFile,
} from './document.ts';
export {
  findAssetSources,
  findFileChanges,
  getAssetObjectName,
  getTexts,
  isSameFile,
  mergeFileChanges,
  normalizeFile,
  parseAsset,
  parseAssetRows,
  toTextFiles,
  validateAsset,
  type AssetFile,
  type AssetSources,
  type FileChanges,
  type FileContent,
  type ProjectFile,
  type ProjectFiles,
  type TextFile,
} from './files.ts';
export { curlCodeQuotes } from './curl-code-quotes.ts';
export { parseByteRange, type ByteRange } from './byte-range.ts';
export { findMediaType, getMediaType } from './file-types.ts';
export {
  byteLength,
  getExtension,
  validatePath,
  isTestPath,
  isToolConfig,
  parsePath,
  getPathKey,
  findServedFile,
  publicFolder,
} from './paths.ts';
export {
  normalizeTag,
  validateFiles,
  validatePassword,
  validateTag,
  validateTitle,
  validateUsername,
  isSlug,
  isVisibility,
  reservedUsernames,
  visibilities,
  type Visibility,
} from './validation.ts';
export { resolveSameOrigin } from './same-origin.ts';
export { isRecord } from './is-record.ts';
