import { readBodyWithLimit } from '../body-limit.ts';
import { storageLimits } from './limits.ts';
import { invalidRequest, tooLarge } from './storage-error.ts';

export type StorageRequestBody = Record<string, unknown>;

/** Reads a JSON object; an empty body is an empty object. */
export async function readStorageRequestBody(request: Request): Promise<StorageRequestBody> {
  const bytes = await readBodyWithLimit(request, storageLimits.maxJsonBytes);
  if (bytes === 'too-large') throw tooLarge('body');
  if (bytes === undefined || bytes.length === 0) return {};
  return parseObject(new TextDecoder().decode(bytes), 'body must be object');
}

/** Parses a JSON object; otherwise throws an error with `message`. */
export function parseObject(text: string, message: string): StorageRequestBody {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's message quotes the text.
    throw invalidRequest(message);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidRequest(message);
  }
  return { ...value };
}

export function requireText(body: StorageRequestBody, name: string): string {
  const value = body[name];
  if (value === undefined) throw invalidRequest(`body must have required property '${name}'`);
  if (typeof value !== 'string') throw invalidRequest(`body/${name} must be string`);
  return value;
}

/** Reads a text; undefined when the field is missing. */
export function findText(body: StorageRequestBody, name: string): string | undefined {
  const value = body[name];
  return value === undefined || value === null ? undefined : requireText(body, name);
}

export function findFlag(body: StorageRequestBody, name: string): boolean | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'boolean') throw invalidRequest(`body/${name} must be boolean`);
  return value;
}

/** Reads an integer of at least `least`, also from text, as query parameters have it. */
export function findNumber(
  body: StorageRequestBody,
  name: string,
  least: number,
): number | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isSafeInteger(number) || number < least) {
    throw invalidRequest(`body/${name} must be integer >= ${least}`);
  }
  return number;
}

/** Reads a list of 1 to `storageLimits.maxNames` texts. */
export function requireNames(body: StorageRequestBody, name: string): string[] {
  const value = body[name];
  if (!Array.isArray(value)) throw invalidRequest(`body/${name} must be array`);
  const names = value.filter((item): item is string => typeof item === 'string');
  if (names.length !== value.length) throw invalidRequest(`body/${name} must contain strings`);
  if (names.length === 0 || names.length > storageLimits.maxNames) {
    throw invalidRequest(`body/${name} must have 1 to ${storageLimits.maxNames} items`);
  }
  return names;
}

/** Reads one of `choices`, ignoring case; undefined when the field is missing. */
export function findChoice<T extends string>(
  body: StorageRequestBody,
  name: string,
  choices: readonly T[],
): T | undefined {
  const text = findText(body, name)?.toLowerCase();
  if (text === undefined) return undefined;
  const choice = choices.find((one) => one === text);
  if (choice === undefined) {
    throw invalidRequest(`body/${name} must be equal to one of the allowed values`);
  }
  return choice;
}
