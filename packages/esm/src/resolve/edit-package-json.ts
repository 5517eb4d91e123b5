import { isRecord } from '@vitrine/project/is-record';
import { VitrineError } from '@vitrine/project';
import type { ResolveRequest } from '../messages.ts';

/*
 * Edits a project's package.json. The file belongs to the user: everything that isn't changed stays
 * as it was, with its indentation.
 */

type Fields = Record<string, unknown>;

const fields = [
  'dependencies',
  'devDependencies',
  'optionalDependencies',
  'peerDependencies',
] as const;

/**
 * Parses a package.json. An empty file is an empty object.
 *
 * @throws VitrineError `package_json_invalid`.
 */
export function parseProjectPackageJson(text: string): Fields {
  const value = parseText(text.trim() === '' ? '{}' : text);
  if (!isRecord(value))
    throw new VitrineError('package_json_invalid', 'package.json isn’t an object.');
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

/** Serializes the object with the indentation and line endings of `like`. */
export function formatPackageJson(value: Fields, like: string): string {
  const indent = /^\s*\{\r?\n([ \t]+)"/.exec(like)?.[1] ?? '  ';
  const newline = like.includes('\r\n') ? '\r\n' : '\n';
  return `${JSON.stringify(value, null, indent)}\n`.replaceAll('\n', newline);
}

/**
 * Returns a copy with the changes of a request. An added package stays in the field that lists it,
 * or goes into `dependencies`.
 */
export function editDependencies(manifest: Fields, request: ResolveRequest): Fields {
  const changed = { ...manifest };
  for (const name of request.remove ?? []) removeDependency(changed, name);
  for (const { name, range } of request.add ?? []) setDependency(changed, name, range ?? 'latest');
  return changed;
}

/** Sets a dependency range in place. */
export function setDependency(manifest: Fields, name: string, range: string): void {
  const field = fields.find((each) => Object.hasOwn(getDependencies(manifest, each), name));
  const dependencies = { ...getDependencies(manifest, field ?? 'dependencies'), [name]: range };
  const sorted = Object.entries(dependencies).toSorted(([a], [b]) => (a < b ? -1 : 1));
  manifest[field ?? 'dependencies'] = Object.fromEntries(sorted);
}

function removeDependency(manifest: Fields, name: string): void {
  for (const field of fields) {
    if (!Object.hasOwn(getDependencies(manifest, field), name)) continue;
    const { [name]: _, ...rest } = getDependencies(manifest, field);
    manifest[field] = rest;
  }
  const { overrides } = manifest;
  if (isRecord(overrides)) manifest['overrides'] = removeReference(overrides, `$${name}`);
}

/** Removes overrides like `$react` that refer to a dependency which the project no longer has. */
function removeReference(overrides: Readonly<Fields>, reference: string): Fields {
  return Object.fromEntries(
    Object.entries(overrides)
      .filter(([, range]) => range !== reference)
      .map(([key, range]) => [key, isRecord(range) ? removeReference(range, reference) : range]),
  );
}

/** Range of a direct dependency, whatever field lists it. */
export function findDependencyRange(manifest: Readonly<Fields>, name: string): string | undefined {
  for (const field of fields) {
    const range = getDependencies(manifest, field)[name];
    if (typeof range === 'string') return range;
  }
  return undefined;
}

function getDependencies(
  manifest: Readonly<Fields>,
  field: (typeof fields)[number],
): Readonly<Fields> {
  const dependencies = manifest[field];
  return isRecord(dependencies) ? dependencies : {};
}
