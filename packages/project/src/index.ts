export { createFairLimit, type FairLimit } from './fair-limit.ts';
export { createFairQueue } from './fair-queue.ts';
export { limits } from './limits.ts';
export { findChangedRange, type ChangedRange } from './changed-range.ts';
export {
  errorCatalog,
  describeError,
  findErrorCode,
  isErrorCode,
  VitrineError,
  type ErrorCatalogEntry,
  type ErrorCode,
  type ErrorDescription,
} from './errors.ts';
export {
  createRateLimiter,
  TokenBucket,
  type RateLimiter,
  type RateLimiterOptions,
} from './rate-limiter.ts';
export { applyQuickFix, type QuickFix, type QuickFixEdit } from './quick-fix.ts';
export {
  createFile,
  createDocumentFromFiles,
  createFreePath,
  listFiles,
  readFiles,
  removeFile,
  renameFile,
  renameFiles,
  replaceFile,
  restoreFile,
  type DocumentFile,
} from './document.ts';
export {
  findFileChanges,
  getTexts,
  isSameFile,
  mergeFileChanges,
  toTextFiles,
  type AssetFile,
  type FileChanges,
  type ProjectFile,
  type ProjectFiles,
  type TextFile,
} from './files.ts';
export { toPlainText } from './plain-text.ts';
export { curlCodeQuotes } from './curl-code-quotes.ts';
export {
  byteLength,
  getExtension,
  validatePath,
  isTestPath,
  getMediaType,
  parsePath,
  getPathKey,
} from './paths.ts';
export {
  validateFiles,
  validatePassword,
  validateTitle,
  validateUsername,
  isSlug,
  isVisibility,
  reservedUsernames,
  visibilities,
  type Visibility,
} from './validation.ts';
export { resolveSameOrigin } from './same-origin.ts';
export { computeSha256 } from './sha256.ts';
