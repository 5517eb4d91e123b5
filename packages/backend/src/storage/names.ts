import { storageLimits } from './limits.ts';
import { StorageError } from './storage-error.ts';

/** The characters that every store of objects takes in a name. */
const objectName = /^[\w/!.*'() &$=@;:+,?-]+$/;
const bucketName = /^[\w!.*'() &$=@;:+,?-]{1,100}$/;

/** Throws when no object can have this name. */
export function checkObjectName(name: string): void {
  if (objectName.test(name) && name.length <= storageLimits.maxNameLength) return;
  throw new StorageError(400, 'InvalidKey', `Invalid key: ${name.slice(0, 200)}`);
}

/** Throws when no bucket can have this name. */
export function checkBucketName(name: string): void {
  if (bucketName.test(name) && name.trim() === name) return;
  throw new StorageError(400, 'InvalidBucketName', 'Bucket name invalid', {
    error: 'Invalid Input',
  });
}
