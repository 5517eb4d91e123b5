import { isPackageName, limits, VitrineError } from '@vitrine/project';
import npa from 'npm-package-arg';
import semver from 'semver';

/** What a wish of package.json means: always a package of the registry. */
export interface PackageSpec {
  /** The package's own name; for an alias not the one it is imported by. */
  readonly name: string;
  readonly kind: 'version' | 'range' | 'tag';
  /** `1.2.3`, `^1.2.0` or `latest`. */
  readonly wish: string;
}

/** The longest ranges in use are lists of some ten versions. */
const wishMaxLength = 256;

/**
 * Reads one wish, such as (`three`, `^0.187.0`) or (`three3`, `npm:three@3`). Throws
 * `package_spec_invalid`, or `package_source_refused` for git, files, folders and addresses.
 */
export function parseSpec(name: string, wish: string): PackageSpec {
  // npm's resolver keeps packages in plain objects, and fails over names that every object has.
  if (!isPackageName(name) || name in {}) refuse('package_spec_invalid', name, '');
  if (wish.length > wishMaxLength) refuse('package_spec_invalid', name, wish);
  const spec = readSpec(name, wish);
  if (spec.type === 'alias') {
    const { subSpec } = spec as npa.AliasResult;
    if (!isPackageName(subSpec.name ?? '')) refuse('package_spec_invalid', name, wish);
    return registrySpec(subSpec, name, wish);
  }
  return registrySpec(spec, name, wish);
}

function readSpec(name: string, wish: string): npa.Result {
  try {
    // A folder that cannot exist: npm-package-arg only joins it with paths, which are refused.
    return npa.resolve(name, wish, '/nowhere');
  } catch (error) {
    if (error instanceof Error) refuse('package_spec_invalid', name, wish);
    throw error;
  }
}

function registrySpec(spec: npa.Result, name: string, wish: string): PackageSpec {
  const { type, fetchSpec } = spec;
  if (type === 'git' || type === 'remote' || type === 'file' || type === 'directory') {
    refuse('package_source_refused', name, wish);
  }
  if ((type !== 'version' && type !== 'range' && type !== 'tag') || typeof fetchSpec !== 'string') {
    refuse('package_spec_invalid', name, wish);
  }
  if (type === 'range' && semver.validRange(fetchSpec, true) === null) {
    refuse('package_spec_invalid', name, wish);
  }
  return { name: spec.name ?? name, kind: type, wish: fetchSpec };
}

function refuse(
  code: 'package_spec_invalid' | 'package_source_refused',
  name: string,
  wish: string,
): never {
  throw new VitrineError(code, `${name.slice(0, 214)} ${wish.slice(0, 80)}`.trim());
}

type Wishes = Readonly<Record<string, string>>;

/** What arborist is shown of a project's package.json: nothing that could name a file or a script. */
export interface ProjectWishes {
  readonly dependencies: Wishes;
  readonly devDependencies: Wishes;
  readonly optionalDependencies: Wishes;
  readonly peerDependencies: Wishes;
  readonly overrides: Readonly<Record<string, unknown>>;
}

const kinds = [
  'dependencies',
  'devDependencies',
  'optionalDependencies',
  'peerDependencies',
] as const;

/**
 * The wishes in a package.json, each of them checked. Throws `package_json_invalid`,
 * `too_many_packages` and what `parseSpec` throws.
 */
export function readWishes(manifest: unknown): ProjectWishes {
  if (!isRecord(manifest)) throw new VitrineError('package_json_invalid', 'not an object');
  const [dependencies, devDependencies, optionalDependencies, peerDependencies] = kinds.map(
    (kind) => readKind(kind, manifest[kind]),
  );
  const wishes = {
    dependencies: dependencies ?? {},
    devDependencies: devDependencies ?? {},
    optionalDependencies: optionalDependencies ?? {},
    peerDependencies: peerDependencies ?? {},
    overrides: readOverrides(manifest['overrides']),
  };
  const direct = new Set(kinds.flatMap((kind) => Object.keys(wishes[kind])));
  const lost = listReferences(wishes.overrides).find((name) => !direct.has(name));
  if (lost !== undefined) {
    throw new VitrineError('package_json_invalid', `overrides: $${lost} is not in package.json`);
  }
  if (direct.size > limits.directPackages) {
    throw new VitrineError('too_many_packages', `${direct.size} in package.json`);
  }
  return wishes;
}

function readKind(kind: string, value: unknown): Wishes {
  if (value === undefined) return {};
  if (!isRecord(value)) throw new VitrineError('package_json_invalid', `${kind} is no object`);
  return Object.fromEntries(
    Object.entries(value).map(([name, wish]) => {
      if (typeof wish !== 'string') {
        throw new VitrineError('package_json_invalid', `${kind}: ${name.slice(0, 214)}`);
      }
      parseSpec(name, wish);
      return [name, wish];
    }),
  );
}

/** https://docs.npmjs.com/cli/configuring-npm/package-json#overrides */
function readOverrides(value: unknown, depth = 0): Record<string, unknown> {
  if (value === undefined) return {};
  if (!isRecord(value) || depth > 5) throw new VitrineError('package_json_invalid', 'overrides');
  const entries = Object.entries(value);
  if (entries.length > limits.directPackages) {
    throw new VitrineError('too_many_packages', 'overrides');
  }
  return Object.fromEntries(
    entries.map(([key, wish]) => {
      const name = key === '.' ? 'self' : (/^(@?[^@]+)(?:@.*)?$/s.exec(key)?.[1] ?? key);
      if (typeof wish !== 'string') return [key, readOverrides(wish, depth + 1)];
      const own = wish.startsWith('$') ? wish.slice(1) : undefined;
      parseSpec(own ?? name, own === undefined ? wish : '*');
      parseSpec(name, /^@?[^@]+@(.*)$/s.exec(key)?.[1] ?? '*');
      return [key, wish];
    }),
  );
}

/** `$name` means what the project itself wishes of that package. */
function listReferences(overrides: Readonly<Record<string, unknown>>): string[] {
  return Object.values(overrides).flatMap((wish) => {
    if (isRecord(wish)) return listReferences(wish);
    return typeof wish === 'string' && wish.startsWith('$') ? [wish.slice(1)] : [];
  });
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
