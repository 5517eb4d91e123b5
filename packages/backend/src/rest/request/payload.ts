import { isRecord } from '@vitrine/project';
import { RestError } from '../rest-error.ts';

/**
 * A JSON body. Only its shape is analyzed here: the text itself goes to PostgreSQL, which keeps
 * large numbers exact.
 */
export interface Payload {
  text: string;
  shape: 'object' | 'objects' | 'other';
  /** Names in the object, or in all objects together. */
  keys: string[];
  /** Number of objects; 1 for a single one. */
  length: number;
  /** Whether some objects lack names that others have. */
  uneven: boolean;
}

export function parsePayload(text: string): Payload {
  const value = parseJson(text);
  if (isRecord(value)) {
    return { text, shape: 'object', keys: Object.keys(value), length: 1, uneven: false };
  }
  if (!Array.isArray(value) || !value.every(isRecord)) {
    return { text, shape: 'other', keys: [], length: 0, uneven: false };
  }
  const keys = [...new Set(value.flatMap((item) => Object.keys(item)))];
  const uneven = value.some((item) => Object.keys(item).length < keys.length);
  return { text, shape: 'objects', keys, length: value.length, uneven };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw createInvalidBodyError('Empty or invalid json', cause);
  }
}

export function createInvalidBodyError(message: string, cause?: unknown): RestError {
  return new RestError(400, 'PGRST102', message, { cause });
}

/** Reads the body as text. Throws beyond `maxBytes` without buffering the rest. */
export async function readRestBody(request: Request, maxBytes: number): Promise<string> {
  const declared = Number(request.headers.get('content-length') ?? 0);
  if (declared > maxBytes) throw createTooLargeError(maxBytes);
  // The HTTP server enforces a declared length; without one the bytes are counted.
  if (declared > 0 || request.body === null) return await request.text();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body) {
    size += chunk.byteLength;
    if (size > maxBytes) throw createTooLargeError(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function createTooLargeError(maxBytes: number): RestError {
  return new RestError(413, 'PGRST102', 'The body is too large', {
    details: `At most ${maxBytes} bytes are read.`,
  });
}
