import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { parseObject, type StorageRequestBody } from './input.ts';
import { storageLimits } from './limits.ts';
import { StorageError, invalidRequest, tooLarge } from './storage-error.ts';

/** An upload as a stream: what is known in advance, the contents, and the fields after them. */
export interface UploadBody {
  mimeType: string;
  isForm: boolean;
  /** From the header; for multipart slightly more than the size of the file. */
  contentLength: number | undefined;
  bytes: Readable;
  /** Returns the description as known so far; complete once `bytes` was read. */
  describe(): UploadDescription;
  /** Resolves when the whole body was read; throws a StorageError when it is malformed. */
  finish(): Promise<void>;
}

export interface UploadDescription {
  cacheControl: string;
  /** User metadata, as JSON. */
  metadata: StorageRequestBody;
}

/**
 * Opens an upload in either of the clients' formats: the contents as the body, or a form with one
 * file, whose field name is empty in browser clients. Only the small fields of a form are buffered.
 * Throws a StorageError when there is no file.
 */
export async function openUploadBody(request: Request): Promise<UploadBody> {
  const { headers } = request;
  const contentType = headers.get('content-type') ?? 'application/octet-stream';
  const declared = Number(headers.get('content-length') ?? Number.NaN);
  const contentLength = Number.isSafeInteger(declared) ? declared : undefined;
  const source = openBodyStream(request);
  if (/^multipart\/form-data\b/i.test(contentType)) {
    return await openForm(source, contentType, contentLength);
  }
  const description = {
    cacheControl: sanitizeCacheControl(headers.get('cache-control')),
    metadata: parseMetadataHeader(headers.get('x-metadata')) ?? {},
  };
  return {
    mimeType: parseMimeType(contentType),
    isForm: false,
    contentLength,
    bytes: source,
    describe: () => description,
    finish: async () => {},
  };
}

/** Parses the header `x-metadata`: JSON in base64. */
export function parseMetadataHeader(header: string | null): StorageRequestBody | null {
  return header === null ? null : parseMetadata(Buffer.from(header, 'base64').toString());
}

function parseMetadata(text: string): StorageRequestBody {
  if (Buffer.byteLength(text) > storageLimits.maxMetadataBytes) throw tooLarge('user_metadata');
  return parseObject(text, 'Invalid metadata: it must be a JSON object');
}

function openBodyStream(request: Request): Readable {
  if (request.body === null) return Readable.from([]);
  // The same stream type, which the DOM and Node declare separately.
  return Readable.fromWeb(request.body as ReadableStream<Uint8Array>);
}

async function openForm(
  source: Readable,
  contentType: string,
  contentLength: number | undefined,
): Promise<UploadBody> {
  const form = openParser(contentType);
  const fields = new Map<string, string>();
  form.on('field', (name, value) => fields.set(name, value));
  const ended = new Promise<void>((resolve, reject) => {
    form.on('finish', resolve);
    form.on('error', (error) => reject(createMalformedFormError(error)));
    source.on('error', reject);
  });
  const file = new Promise<{ bytes: Readable; mimeType: string }>((resolve, reject) => {
    form.on('file', (_field, bytes, _name, _encoding, mimeType) => {
      // After a rejected upload nothing reads the stream, and an unhandled error would end the
      // process.
      bytes.on('error', () => {});
      source.on('error', (error) => bytes.destroy(error));
      form.on('error', (error) => bytes.destroy(createMalformedFormError(error)));
      resolve({ bytes, mimeType });
    });
    ended.then(() => reject(invalidRequest('No content provided')), reject);
  });
  source.pipe(form);
  const { bytes, mimeType } = await file;
  // The reader destroys the stream to stop early; the rest of the request is not needed either.
  bytes.on('close', () => bytes.readableEnded || source.destroy());
  return {
    mimeType: parseMimeType(fields.get('contentType') ?? mimeType),
    isForm: true,
    contentLength,
    bytes,
    describe: () => parseFields(fields),
    finish: () => ended,
  };
}

function openParser(contentType: string): BusboyInstance {
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      limits: { files: 1, fields: 10, fieldSize: storageLimits.maxMetadataBytes, parts: 12 },
    });
  } catch (error) {
    // The boundary is missing.
    throw createMalformedFormError(error);
  }
}

function parseFields(fields: ReadonlyMap<string, string>): UploadDescription {
  const seconds = fields.get('cacheControl');
  const metadata = fields.get('metadata') ?? fields.get('userMetadata');
  return {
    cacheControl: sanitizeCacheControl(seconds === undefined ? null : `max-age=${seconds}`),
    metadata: metadata === undefined ? {} : parseMetadata(metadata),
  };
}

/** Becomes a response header, so values that do not match its grammar are dropped. */
function sanitizeCacheControl(text: string | null): string {
  return text !== null && /^[\w=, -]{1,200}$/.test(text) ? text : 'no-cache';
}

function parseMimeType(text: string): string {
  if (
    /^[\w.+-]+\/[\w.+-]+(\s*;\s*[\w-]+=("[\w .+-]*"|[\w.+-]+))*$/.test(text) &&
    text.length < 200
  ) {
    return text;
  }
  throw new StorageError(415, 'InvalidMimeType', 'Invalid Content-Type header', {
    error: 'invalid_mime_type',
  });
}

function createMalformedFormError(cause: unknown): StorageError {
  return new StorageError(400, 'InvalidRequest', 'The form is malformed', { cause });
}
