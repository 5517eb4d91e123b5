export { limits } from './limits.ts';
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
export {
  createFile,
  documentFromFiles,
  listFiles,
  plainText,
  readFiles,
  removeFile,
  renameFile,
  replaceFile,
  restoreFile,
  type DocumentFile,
} from './document.ts';
export { byteLength, extension, findPathProblem, mediaType, parsePath, pathKey } from './paths.ts';
export {
  findFilesProblem,
  findPasswordProblem,
  findTitleProblem,
  findUsernameProblem,
  isSlug,
  isVisibility,
  newSlug,
  reservedUsernames,
  visibilities,
  type Visibility,
} from './rules.ts';
