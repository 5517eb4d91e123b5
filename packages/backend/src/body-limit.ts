import { functionLimits } from './functions/limits.ts';
import { restLimits } from './rest/limits.ts';
import { storageLimits } from './storage/limits.ts';

const mebibyte = 1024 * 1024;

/** Bytes of a request's body, by service. */
export const bodyLimits = {
  auth: mebibyte,
  functions: functionLimits.maxBodyBytes,
  mail: mebibyte,
  realtime: mebibyte,
  rest: restLimits.maxBodyBytes,
  storageJson: storageLimits.maxJsonBytes,
  /** A form is larger than its file, and a file that is only a little too large gets storage's own error. */
  upload: storageLimits.maxFileBytes + 14 * mebibyte,
} as const;

/**
 * Reads a request body of up to `limit` bytes. Does not rely on content-length. Undefined without a
 * body.
 */
export async function readBodyWithLimit(
  request: Request,
  limit: number,
): Promise<Uint8Array<ArrayBuffer> | 'too-large' | undefined> {
  if (request.body === null) return undefined;
  if (Number(request.headers.get('content-length') ?? 0) > limit) return 'too-large';
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = request.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.byteLength;
    if (size > limit) {
      await reader.cancel();
      return 'too-large';
    }
    chunks.push(value);
  }
  return joinChunks(chunks, size);
}

function joinChunks(chunks: Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    joined.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return joined;
}
