import { RestError } from './rest-error.ts';

/**
 * A JSON body. Only its shape is looked at here: the text itself goes to PostgreSQL, which reads
 * numbers of any size and keeps them exact.
 */
export interface Payload {
  text: string;
  shape: 'object' | 'objects' | 'other';
  /** Names in the object, or in all of the objects together. */
  keys: string[];
  /** Objects in the list; 1 for a single one. */
  length: number;
  /** Whether some objects of the list lack names that others have. */
  uneven: boolean;
}

export function parsePayload(text: string): Payload {
  const value = parseJson(text);
  if (isObject(value)) {
    return { text, shape: 'object', keys: Object.keys(value), length: 1, uneven: false };
  }
  if (!Array.isArray(value) || !value.every(isObject)) {
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
    throw invalidBody('Empty or invalid json', cause);
  }
}

export function invalidBody(message: string, cause?: unknown): RestError {
  return new RestError(400, 'PGRST102', message, { cause });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The body's text, refused beyond `maxBytes` before it is all in memory. */
export async function readBody(request: Request, maxBytes: number): Promise<string> {
  const declared = Number(request.headers.get('content-length') ?? 0);
  if (declared > maxBytes) throw tooLarge(maxBytes);
  // A declared length is kept to by the HTTP server; without one the bytes are counted.
  if (declared > 0 || request.body === null) return await request.text();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body) {
    size += chunk.byteLength;
    if (size > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function tooLarge(maxBytes: number): RestError {
  return new RestError(413, 'PGRST102', 'The body is too large', {
    details: `At most ${maxBytes} bytes are read.`,
  });
}
