import { storageLimits } from './limits.ts';
import { StorageError } from './storage-error.ts';

/** The characters that every store of objects takes in a name. */
const objectName = /^[\w/!.*'() &$=@;:+,?-]+$/;
const bucketName = /^[\w!.*'() &$=@;:+,?-]{1,100}$/;

/**
 * A name stands in an address, where browsers, proxies and caches resolve `.`, `..` and empty
 * segments: "a/../b" would be asked for as "b".
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

/** Throws when no object can have this name. */
export function checkObjectName(name: string): void {
  if (!isObjectName(name)) throw invalidKey(name);
}

/**
 * Throws when what names begin with leads elsewhere once it is decoded or resolved. The last segment
 * may be empty or unfinished: "", "folder/", "folder/pic".
 */
export function checkNameBeginning(beginning: string): void {
  const segments = beginning.split('/');
  const last = segments.pop();
  const isPlain = segments.every(isPlainSegment) && last !== '.' && last !== '..';
  if (!isPlain || /[\\%]/.test(beginning)) throw invalidKey(beginning);
}

function invalidKey(name: string): StorageError {
  return new StorageError(400, 'InvalidKey', `Invalid key: ${name.slice(0, 200)}`);
}

/** Throws when no bucket can have this name. */
export function checkBucketName(name: string): void {
  if (bucketName.test(name) && name.trim() === name && isPlainSegment(name)) return;
  throw new StorageError(400, 'InvalidBucketName', 'Bucket name invalid', {
    error: 'Invalid Input',
  });
}
