import { storageLimits } from './limits.ts';
import { StorageError } from './storage-error.ts';

/** Characters that every object store allows in a name. */
const objectName = /^[\w/!.*'() &$=@;:+,?-]+$/;
const bucketName = /^[\w!.*'() &$=@;:+,?-]{1,100}$/;

/**
 * Names are part of URLs, where browsers, proxies and caches resolve `.`, `..` and empty segments:
 * "a/../b" would be requested as "b".
 */
const isPlainSegment = (segment: string) => segment !== '' && segment !== '.' && segment !== '..';

/** Whether an object can have this name. */
export function isObjectName(name: string): boolean {
  return (
    objectName.test(name) &&
    name.length <= storageLimits.maxNameLength &&
    name.split('/').every(isPlainSegment)
  );
}

/** Throws unless an object can have this name. */
export function assertObjectName(name: string): void {
  if (!isObjectName(name)) throw createInvalidKeyError(name);
}

/**
 * Throws when a prefix of names could change its meaning when decoded or resolved. The last segment
 * may be empty or incomplete: "", "folder/", "folder/pic".
 */
export function assertNamePrefix(beginning: string): void {
  const segments = beginning.split('/');
  const last = segments.pop();
  const isPlain = segments.every(isPlainSegment) && last !== '.' && last !== '..';
  if (!isPlain || /[\\%]/.test(beginning)) throw createInvalidKeyError(beginning);
}

function createInvalidKeyError(name: string): StorageError {
  return new StorageError(400, 'InvalidKey', `Invalid key: ${name.slice(0, 200)}`);
}

/** Throws unless a bucket can have this name. */
export function assertBucketName(name: string): void {
  if (bucketName.test(name) && name.trim() === name && isPlainSegment(name)) return;
  throw new StorageError(400, 'InvalidBucketName', 'Bucket name invalid', {
    error: 'Invalid Input',
  });
}
