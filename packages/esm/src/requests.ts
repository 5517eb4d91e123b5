import { VitrineError } from '@vitrine/project';
import { isRecord } from './lockfile/lockfile.ts';
import type { ResolveRequest } from './resolve-protocol.ts';

/**
 * Size limit of a request body: a package.json and a lockfile, each within the limit of a file, and
 * a little more.
 */
const bodyMaxBytes = 3 * 1024 * 1024;
const changesMax = 50;

/**
 * Reads the body of a POST as JSON, up to its size limit.
 *
 * @throws VitrineError `bad_request`.
 */
export async function readJsonBody(request: Request): Promise<Readonly<Record<string, unknown>>> {
  const value = parseJson(await readText(request));
  if (!isRecord(value)) throw new VitrineError('bad_request', 'must be an object');
  return value;
}

async function readText(request: Request): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > bodyMaxBytes) throw new VitrineError('bad_request', 'too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw new VitrineError('bad_request', 'not JSON');
    throw error;
  }
}

/** Parses `{packageJson, lock?, add?: [{name, range?}], remove?: [name], update?: [name]}`. */
export function parseResolveRequest(body: Readonly<Record<string, unknown>>): ResolveRequest {
  const { packageJson, lock, add, remove, update } = body;
  if (typeof packageJson !== 'string' || (lock !== undefined && typeof lock !== 'string')) {
    throw new VitrineError('bad_request', 'packageJson and lock must be strings');
  }
  return {
    packageJson,
    ...(lock !== undefined && { lock }),
    add: parseList(add).map(parseAddition),
    remove: parseList(remove).map(parseName),
    update: parseList(update).map(parseName),
  };
}

/**
 * Parses `{lock}`, the text of a package-lock.json.
 *
 * @throws VitrineError `bad_request`.
 */
export function parseRegisterRequest(body: Readonly<Record<string, unknown>>): { lock: string } {
  const { lock } = body;
  if (typeof lock !== 'string') throw new VitrineError('bad_request', 'lock must be a string');
  return { lock };
}

/**
 * Parses `{of: [NAME@VERSION~HASH]}`.
 *
 * @throws VitrineError `bad_request`.
 */
export function parseCancelRequest(body: Readonly<Record<string, unknown>>): { of: string[] } {
  return { of: parseList(body['of']).map(parseName) };
}

function parseList(value: unknown): unknown[] {
  if (value === undefined) return [];
  if (!Array.isArray(value) || value.length > changesMax) {
    throw new VitrineError('bad_request', 'must be a list of at most 50 items');
  }
  return value;
}

function parseAddition(value: unknown): { name: string; range?: string } {
  if (!isRecord(value)) throw new VitrineError('bad_request', 'add');
  const { name, range } = value;
  if (range === undefined || range === '') return { name: parseName(name) };
  if (typeof range !== 'string') throw new VitrineError('bad_request', 'range');
  return { name: parseName(name), range };
}

function parseName(value: unknown): string {
  if (typeof value !== 'string') throw new VitrineError('bad_request', 'a name must be a string');
  return value;
}
