import { isRecord } from '@vitrine/project/is-record';

/** Fields of a package's package.json that the builder reads. It ignores all others. */
export interface PackageJson {
  readonly name: string;
  readonly main: string | undefined;
  readonly module: string | undefined;
  /** `browser` as a string: another main module. */
  readonly browserMain: string | undefined;
  /** `browser` as a map: './file.js' or 'package' → its replacement; false → an empty module. */
  readonly browserMap: ReadonlyMap<string, string | false>;
  readonly style: string | undefined;
  /** Main module with uncompiled Svelte components. */
  readonly svelte: string | undefined;
  readonly exports: unknown;
  readonly imports: unknown;
  readonly sideEffects: boolean | readonly string[] | undefined;
  /** Names of all dependencies, peer dependencies and optional dependencies. */
  readonly dependencies: ReadonlySet<string>;
  /** Names of the dependencies that are always installed with the package. */
  readonly required: ReadonlySet<string>;
}

/**
 * Parses the text of a package.json.
 *
 * @throws Error when it is not a JSON object.
 */
export function parsePackageJson(text: string): PackageJson {
  const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
  if (!isRecord(value)) throw new Error('package.json isn’t an object');
  return {
    name: readString(value.name) ?? '',
    main: readString(value.main),
    module: readString(value.module),
    browserMain: readString(value.browser),
    browserMap: readBrowserMap(value.browser),
    style: readString(value.style),
    svelte: readString(value.svelte),
    exports: value.exports ?? undefined,
    imports: value.imports,
    sideEffects: readSideEffects(value.sideEffects),
    dependencies: namesIn(value, ['dependencies', 'peerDependencies', 'optionalDependencies']),
    required: requiredNames(value),
  };
}

function namesIn(value: Record<string, unknown>, fields: readonly string[]): Set<string> {
  return new Set(
    fields.flatMap((field) => (isRecord(value[field]) ? Object.keys(value[field]) : [])),
  );
}

function requiredNames(value: Record<string, unknown>): Set<string> {
  const names = namesIn(value, ['dependencies', 'peerDependencies']);
  for (const name of namesIn(value, ['optionalDependencies'])) names.delete(name);
  const meta = isRecord(value.peerDependenciesMeta) ? value.peerDependenciesMeta : {};
  for (const [name, fields] of Object.entries(meta)) {
    if (isRecord(fields) && fields.optional === true) names.delete(name);
  }
  return names;
}

function readString(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function readBrowserMap(value: unknown): ReadonlyMap<string, string | false> {
  const map = new Map<string, string | false>();
  if (!isRecord(value)) return map;
  for (const [from, to] of Object.entries(value)) {
    if (typeof to === 'string' || to === false) map.set(from, to);
  }
  return map;
}

function readSideEffects(value: unknown): boolean | readonly string[] | undefined {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : undefined;
}
