import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { parseObject, type Body } from './input.ts';
import { storageLimits } from './limits.ts';
import { StorageError, invalidRequest, tooLarge } from './storage-error.ts';

/** A file as it arrives: what is known before its bytes, its bytes, and what stands behind them. */
export interface UploadBody {
  mimeType: string;
  isForm: boolean;
  /** As announced; for multipart that is a little more than the file has. */
  announcedSize: number | undefined;
  bytes: Readable;
  /** Before the bytes were read, what was said until then; afterwards everything. */
  describe(): UploadDescription;
  /** Resolves when all was read; throws a StorageError when it was not well-formed. */
  finish(): Promise<void>;
}

export interface UploadDescription {
  cacheControl: string;
  /** The person's own, as JSON. */
  metadata: Body;
}

/**
 * Reads an upload as clients send it: the bytes as the body, or a form with one file, whose
 * field's name browsers' clients leave empty. Nothing is held in memory but the form's small
 * fields. Throws a StorageError where there is no file.
 */
export async function openUploadBody(request: Request): Promise<UploadBody> {
  const { headers } = request;
  const contentType = headers.get('content-type') ?? 'application/octet-stream';
  const announced = Number(headers.get('content-length') ?? Number.NaN);
  const announcedSize = Number.isSafeInteger(announced) ? announced : undefined;
  const source = openStream(request);
  if (/^multipart\/form-data\b/i.test(contentType)) {
    return await openForm(source, contentType, announcedSize);
  }
  const description = {
    cacheControl: checkCacheControl(headers.get('cache-control')),
    metadata: readMetadataHeader(headers.get('x-metadata')) ?? {},
  };
  return {
    mimeType: checkMimeType(contentType),
    isForm: false,
    announcedSize,
    bytes: source,
    describe: () => description,
    finish: async () => {},
  };
}

/** The header `x-metadata`: JSON in base64. */
export function readMetadataHeader(header: string | null): Body | null {
  return header === null ? null : readMetadata(Buffer.from(header, 'base64').toString());
}

function readMetadata(text: string): Body {
  if (Buffer.byteLength(text) > storageLimits.maxMetadataBytes) throw tooLarge('user_metadata');
  return parseObject(text, 'Invalid metadata: it must be a JSON object');
}

function openStream(request: Request): Readable {
  if (request.body === null) return Readable.from([]);
  // Of the same kind, which the DOM's types and Node's name apart.
  return Readable.fromWeb(request.body as ReadableStream<Uint8Array>);
}

async function openForm(
  source: Readable,
  contentType: string,
  announcedSize: number | undefined,
): Promise<UploadBody> {
  const form = openParser(contentType);
  const fields = new Map<string, string>();
  form.on('field', (name, value) => fields.set(name, value));
  const ended = new Promise<void>((resolve, reject) => {
    form.on('finish', resolve);
    form.on('error', (error) => reject(notWellFormed(error)));
    source.on('error', reject);
  });
  const file = new Promise<{ bytes: Readable; mimeType: string }>((resolve, reject) => {
    form.on('file', (_field, bytes, _name, _encoding, mimeType) => {
      // Where the upload was refused already nobody reads, and an error unheard ends the process.
      bytes.on('error', () => {});
      source.on('error', (error) => bytes.destroy(error));
      form.on('error', (error) => bytes.destroy(notWellFormed(error)));
      resolve({ bytes, mimeType });
    });
    ended.then(() => reject(invalidRequest('No content provided')), reject);
  });
  source.pipe(form);
  const { bytes, mimeType } = await file;
  // Destroyed when the reader has had enough; then the rest is not wanted either.
  bytes.on('close', () => bytes.readableEnded || source.destroy());
  return {
    mimeType: checkMimeType(fields.get('contentType') ?? mimeType),
    isForm: true,
    announcedSize,
    bytes,
    describe: () => describeFields(fields),
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
    // It has no boundary.
    throw notWellFormed(error);
  }
}

function describeFields(fields: ReadonlyMap<string, string>): UploadDescription {
  const seconds = fields.get('cacheControl');
  const metadata = fields.get('metadata') ?? fields.get('userMetadata');
  return {
    cacheControl: checkCacheControl(seconds === undefined ? null : `max-age=${seconds}`),
    metadata: metadata === undefined ? {} : readMetadata(metadata),
  };
}

/** It becomes a header of answers: anything but its grammar is not kept. */
function checkCacheControl(text: string | null): string {
  return text !== null && /^[\w=, -]{1,200}$/.test(text) ? text : 'no-cache';
}

function checkMimeType(text: string): string {
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

function notWellFormed(cause: unknown): StorageError {
  return new StorageError(400, 'InvalidRequest', 'The form is not well-formed', { cause });
}
