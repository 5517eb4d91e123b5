import { parseByteRange, type ByteRange } from '@vitrine/project';
import { StorageError } from './storage-error.ts';

/** Parses the `Range` header of a request. Throws a 416 when the range is outside of the file. */
export function findByteRange(headers: Headers, size: number): ByteRange | undefined {
  const range = parseByteRange(headers.get('range'), size);
  if (range !== 'unsatisfiable') return range;
  throw new StorageError(416, 'InvalidRange', 'invalid range provided', {
    error: 'invalid_range',
    httpStatus: 416,
    headers: { 'content-range': `bytes */${size}` },
  });
}

/** Values for conditional requests (RFC 9110, section 13). */
export interface Validators {
  eTag: string;
  lastModified: Date;
}

/** Whether the client already has the current contents. */
export function isNotModified(headers: Headers, { eTag, lastModified }: Validators): boolean {
  const tags = headers.get('if-none-match');
  if (tags !== null) {
    return tags.split(',').some((tag) => ['*', eTag].includes(tag.trim().replace(/^W\//, '')));
  }
  const since = Date.parse(headers.get('if-modified-since') ?? '');
  return !Number.isNaN(since) && Math.floor(lastModified.getTime() / 1000) * 1000 <= since;
}

/** Whether a range may be sent: not when the client has a part of other contents. */
export function isRangeValid(headers: Headers, { eTag, lastModified }: Validators): boolean {
  const condition = headers.get('if-range');
  if (condition === null || condition === eTag) return true;
  return Date.parse(condition) === Math.floor(lastModified.getTime() / 1000) * 1000;
}
