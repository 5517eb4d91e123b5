import type { ByteRange } from './file-store.ts';
import { StorageError } from './storage-error.ts';

/**
 * Parses a `Range` header for a file of `size` bytes: `bytes=0-9`, `bytes=10-`, `bytes=-5`.
 * Undefined without a supported range (several ranges are not supported). Throws a 416 when the
 * range is outside of the file.
 */
export function parseByteRange(header: string | null, size: number): ByteRange | undefined {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '');
  if (match === null || match[0] === 'bytes=-') return undefined;
  const [, first = '', last = ''] = match;
  if (first === '') {
    if (Number(last) === 0 || size === 0) throw createInvalidRangeError(size);
    return { from: Math.max(0, size - Number(last)), to: size - 1 };
  }
  const from = Number(first);
  const to = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (from >= size || to < from) throw createInvalidRangeError(size);
  return { from, to };
}

function createInvalidRangeError(size: number): StorageError {
  return new StorageError(416, 'InvalidRange', 'invalid range provided', {
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
