import { VitrineError } from '@vitrine/project';
import type { ResolveRequest } from './resolve-protocol.ts';
import { isRecord } from './specs.ts';

/*
 * package.json is a person's file: what is not changed in it stays as it was, with its indentation.
 */

type Fields = Record<string, unknown>;

const kinds = [
  'dependencies',
  'devDependencies',
  'optionalDependencies',
  'peerDependencies',
] as const;

/** The object in the text; an empty file is an empty object. Throws `package_json_invalid`. */
export function parsePackageJson(text: string): Fields {
  const value = parseText(text.trim() === '' ? '{}' : text);
  if (!isRecord(value)) throw new VitrineError('package_json_invalid', 'It is not an object.');
  return { ...value };
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new VitrineError('package_json_invalid', error.message);
  }
}

/** The object as text, laid out as `like` is. */
export function formatPackageJson(value: Fields, like: string): string {
  const indent = /^\s*\{\r?\n([ \t]+)"/.exec(like)?.[1] ?? '  ';
  const newline = like.includes('\r\n') ? '\r\n' : '\n';
  return `${JSON.stringify(value, null, indent)}\n`.replaceAll('\n', newline);
}

/** A copy with the wishes of a request; what is added stands where it stood, else in `dependencies`. */
export function changeWishes(manifest: Fields, request: ResolveRequest): Fields {
  const changed = { ...manifest };
  for (const name of request.remove ?? []) forgetWish(changed, name);
  for (const { name, range } of request.add ?? []) setWish(changed, name, range ?? 'latest');
  return changed;
}

/** Sets a wish in place. */
export function setWish(manifest: Fields, name: string, wish: string): void {
  const kind = kinds.find((each) => Object.hasOwn(wishesOf(manifest, each), name));
  const wishes = { ...wishesOf(manifest, kind ?? 'dependencies'), [name]: wish };
  const sorted = Object.entries(wishes).toSorted(([a], [b]) => (a < b ? -1 : 1));
  manifest[kind ?? 'dependencies'] = Object.fromEntries(sorted);
}

function forgetWish(manifest: Fields, name: string): void {
  for (const kind of kinds) {
    if (!Object.hasOwn(wishesOf(manifest, kind), name)) continue;
    const { [name]: _, ...rest } = wishesOf(manifest, kind);
    manifest[kind] = rest;
  }
  const { overrides } = manifest;
  if (isRecord(overrides)) manifest['overrides'] = withoutReference(overrides, `$${name}`);
}

/** `$react` means nothing once the project wishes no react. */
function withoutReference(overrides: Readonly<Fields>, reference: string): Fields {
  return Object.fromEntries(
    Object.entries(overrides)
      .filter(([, wish]) => wish !== reference)
      .map(([key, wish]) => [key, isRecord(wish) ? withoutReference(wish, reference) : wish]),
  );
}

/** What the project itself wishes of a package, whatever kind of dependency it is. */
export function findWish(manifest: Readonly<Fields>, name: string): string | undefined {
  for (const kind of kinds) {
    const wish = wishesOf(manifest, kind)[name];
    if (typeof wish === 'string') return wish;
  }
  return undefined;
}

function wishesOf(manifest: Readonly<Fields>, kind: (typeof kinds)[number]): Readonly<Fields> {
  const wishes = manifest[kind];
  return isRecord(wishes) ? wishes : {};
}
