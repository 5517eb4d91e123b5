export { createFairLimit, type FairLimit } from './fair-limit.ts';
export { createFairQueue } from './fair-queue.ts';
export { limits } from './limits.ts';
export { findDifference, type Difference } from './difference.ts';
export {
  catalogue,
  describeError,
  findErrorCode,
  isErrorCode,
  VitrineError,
  type CatalogueEntry,
  type ErrorCode,
  type ErrorDescription,
} from './errors.ts';
export { applyFix, type Fix, type FixEdit } from './fix.ts';
export {
  createFile,
  documentFromFiles,
  freePath,
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
  builderGeneration,
  companionFolder,
  linkTables,
  packageAddresses,
  placeCompanion,
  placeTarget,
  plainPackageAddresses,
  type Family,
  type LinkTable,
  type PackageMode,
} from './link-table.ts';
export {
  findPackageAddress,
  isExactVersion,
  isPackageName,
  packageNameOf,
  readLock,
  type LockedPackage,
  type PackageLock,
} from './npm-lock.ts';
export { plainText } from './plain-text.ts';
export { quoteCode } from './quote-code.ts';
export {
  byteLength,
  extension,
  findPathProblem,
  isTestPath,
  mediaType,
  parsePath,
  pathKey,
} from './paths.ts';
export {
  findFilesProblem,
  findPasswordProblem,
  findTitleProblem,
  findUsernameProblem,
  isSlug,
  isVisibility,
  reservedUsernames,
  visibilities,
  type Visibility,
} from './rules.ts';
export { resolveSameOrigin } from './same-origin.ts';
export { computeSha256 } from './sha256.ts';
export { isSeenInFamilies } from './undeclared-imports.ts';
