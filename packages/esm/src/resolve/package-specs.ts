import { isRecord } from '@vitrine/project/is-record';
import { limits, VitrineError } from '@vitrine/project';
import npa from 'npm-package-arg';
import semver from 'semver';
import { isBuildTool } from '../lockfile/build-tools.ts';
import { isPackageName } from '../lockfile/lockfile.ts';

/** Parsed dependency of a package.json. It is always a package of the registry. */
export interface PackageSpec {
  /** Name of the package itself, not its alias. */
  readonly name: string;
  readonly kind: 'version' | 'range' | 'tag';
  /** `1.2.3`, `^1.2.0` or `latest`. */
  readonly fetchSpec: string;
}

/** Length limit of a range. The longest ranges in use are lists of about ten versions. */
const maxRangeLength = 256;

/**
 * Parses a dependency, such as (`three`, `^0.187.0`) or (`three3`, `npm:three@3`).
 *
 * @throws VitrineError `package_spec_invalid`, or `package_source_refused` for Git, file, folder
 * and
 * URL specs.
 */
export function parseSpec(name: string, range: string): PackageSpec {
  // npm's resolver stores packages in plain objects, and fails on names that every object has.
  if (!isPackageName(name) || name in {}) refuse('package_spec_invalid', name, '');
  if (range.length > maxRangeLength) refuse('package_spec_invalid', name, range);
  const spec = parseWithNpa(name, range);
  if (spec.type === 'alias') {
    const { subSpec } = spec as npa.AliasResult;
    if (!isPackageName(subSpec.name ?? '')) refuse('package_spec_invalid', name, range);
    return toRegistrySpec(subSpec, name, range);
  }
  return toRegistrySpec(spec, name, range);
}

function parseWithNpa(name: string, range: string): npa.Result {
  try {
    // The folder can't exist. npm-package-arg only joins it with file specs, which are rejected.
    return npa.resolve(name, range, '/nowhere');
  } catch (error) {
    if (error instanceof Error) refuse('package_spec_invalid', name, range);
    throw error;
  }
}

function toRegistrySpec(spec: npa.Result, name: string, range: string): PackageSpec {
  const { type, fetchSpec } = spec;
  if (type === 'git' || type === 'remote' || type === 'file' || type === 'directory') {
    refuse('package_source_refused', name, range);
  }
  if ((type !== 'version' && type !== 'range' && type !== 'tag') || typeof fetchSpec !== 'string') {
    refuse('package_spec_invalid', name, range);
  }
  if (type === 'range' && semver.validRange(fetchSpec, true) === null) {
    refuse('package_spec_invalid', name, range);
  }
  return { name: spec.name ?? name, kind: type, fetchSpec };
}

function refuse(
  code: 'package_spec_invalid' | 'package_source_refused',
  name: string,
  range: string,
): never {
  throw new VitrineError(code, `${name.slice(0, 214)} ${range.slice(0, 80)}`.trim());
}

type Dependencies = Readonly<Record<string, string>>;

/**
 * Parts of a project's package.json that npm's resolver receives: nothing that could name a file or
 * a script.
 */
export interface ProjectDependencies {
  readonly dependencies: Dependencies;
  readonly devDependencies: Dependencies;
  readonly optionalDependencies: Dependencies;
  readonly peerDependencies: Dependencies;
  readonly overrides: Readonly<Record<string, unknown>>;
}

const dependencyFields = [
  'dependencies',
  'devDependencies',
  'optionalDependencies',
  'peerDependencies',
] as const;

/**
 * Parses the dependencies in a package.json. Build tools, which no page runs, are left out.
 *
 * @throws VitrineError `package_json_invalid`, `too_many_packages`, and what `parseSpec` throws.
 */
export function parseProjectDependencies(manifest: unknown): ProjectDependencies {
  if (!isRecord(manifest))
    throw new VitrineError('package_json_invalid', 'package.json isn’t an object.');
  const [dependencies, devDependencies, optionalDependencies, peerDependencies] =
    dependencyFields.map((field) => parseDependencyField(field, manifest[field]));
  const parsed = {
    dependencies: dependencies ?? {},
    devDependencies: devDependencies ?? {},
    optionalDependencies: optionalDependencies ?? {},
    peerDependencies: peerDependencies ?? {},
    overrides: parseOverrides(manifest['overrides']),
  };
  const direct = new Set(dependencyFields.flatMap((field) => Object.keys(parsed[field])));
  const unknownReference = listReferences(parsed.overrides).find((name) => !direct.has(name));
  if (unknownReference !== undefined) {
    throw new VitrineError(
      'package_json_invalid',
      `overrides: $${unknownReference} isn’t a dependency`,
    );
  }
  if (direct.size > limits.directPackages) {
    throw new VitrineError('too_many_packages', `${direct.size} dependencies in package.json`);
  }
  return parsed;
}

function parseDependencyField(field: string, value: unknown): Dependencies {
  if (value === undefined) return {};
  if (!isRecord(value)) throw new VitrineError('package_json_invalid', `${field} isn’t an object`);
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, range]) => {
      if (typeof range !== 'string') {
        throw new VitrineError('package_json_invalid', `${field}: ${name.slice(0, 214)}`);
      }
      if (isBuildTool(name, field)) return [];
      parseSpec(name, range);
      return [[name, range]];
    }),
  );
}

/** Parses npm's overrides: https://docs.npmjs.com/cli/configuring-npm/package-json#overrides */
function parseOverrides(value: unknown, depth = 0): Record<string, unknown> {
  if (value === undefined) return {};
  if (!isRecord(value) || depth > 5) throw new VitrineError('package_json_invalid', 'overrides');
  const entries = Object.entries(value);
  if (entries.length > limits.directPackages) {
    throw new VitrineError('too_many_packages', 'overrides');
  }
  return Object.fromEntries(
    entries.map(([key, range]) => {
      const name = key === '.' ? 'self' : (/^(@?[^@]+)(?:@.*)?$/s.exec(key)?.[1] ?? key);
      if (typeof range !== 'string') return [key, parseOverrides(range, depth + 1)];
      const own = range.startsWith('$') ? range.slice(1) : undefined;
      parseSpec(own ?? name, own === undefined ? range : '*');
      parseSpec(name, /^@?[^@]+@(.*)$/s.exec(key)?.[1] ?? '*');
      return [key, range];
    }),
  );
}

/** Names of `$name` references, which stand for the project's own range of that package. */
function listReferences(overrides: Readonly<Record<string, unknown>>): string[] {
  return Object.values(overrides).flatMap((range) => {
    if (isRecord(range)) return listReferences(range);
    return typeof range === 'string' && range.startsWith('$') ? [range.slice(1)] : [];
  });
}
