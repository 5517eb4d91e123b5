/*
 * Resolves with version backtracking. Registries lack versions: a mirror is behind, a registry holds
 * back what was published in the last days, or a package's parts were published by mistake. The newest
 * version of a package may then require a version that doesn't exist, while the one before it works.
 * Versions with such a dependency are excluded, as if they had not been published, and the tree is
 * resolved again.
 */
import { isRecord } from '@vitrine/project/is-record';
import { VitrineError } from '@vitrine/project';
import semver from 'semver';
import { pickStrings } from '../manifest-fields.ts';
import type { Packument } from '../registry/packument.ts';

/** Reads the packument of a package by name. */
export type ReadPackument = (name: string) => Promise<Packument>;

/** Maximum number of rounds. Each one resolves the whole tree. */
const maxRounds = 12;

/**
 * Runs `resolve` with packuments, and repeats it without the versions that require something which
 * this registry doesn't have.
 *
 * @throws The first failure, which names what is missing, when excluding versions doesn't help.
 */
export async function resolveWithBacktracking<T>(
  read: ReadPackument,
  resolve: (readInstallable: ReadPackument) => Promise<T>,
): Promise<T> {
  const documents = new Map<string, Packument>();
  const excluded = new Map<string, Set<string>>();
  const readInstallable = async (name: string) => {
    const document = await read(name);
    documents.set(name, document);
    return excludeVersions(document, excluded.get(name));
  };
  let first: unknown;
  for (let round = 0; ; round += 1) {
    try {
      return await resolve(readInstallable);
    } catch (error) {
      first ??= error;
      const missing = findMissing(error);
      if (missing === undefined || round === maxRounds) throw first;
      if (!excludeDependents(documents.values(), missing, excluded)) throw first;
    }
  }
}

/** A package that doesn't exist, or that has no version in a range. */
interface MissingPackage {
  readonly name: string;
  readonly range?: string;
}

function findMissing(error: unknown): MissingPackage | undefined {
  if (!(error instanceof VitrineError) || error.details === undefined) return undefined;
  const { code, details } = error;
  if (code === 'package_not_found') return { name: details };
  if (code !== 'package_version_not_found') return undefined;
  // 'three@^99'
  const at = details.indexOf('@', 1);
  return { name: details.slice(0, at), range: details.slice(at + 1) };
}

/**
 * Excludes the versions that require the missing package. False when there are none, or all were
 * excluded before.
 */
function excludeDependents(
  documents: Iterable<Packument>,
  missing: MissingPackage,
  excluded: Map<string, Set<string>>,
): boolean {
  let isNew = false;
  for (const { name, versions } of documents) {
    const known = excluded.get(name) ?? new Set();
    for (const [version, manifest] of Object.entries(versions)) {
      if (known.has(version) || !requires(manifest, missing)) continue;
      excluded.set(name, known.add(version));
      isNew = true;
    }
  }
  return isNew;
}

function requires(
  manifest: Readonly<Record<string, unknown>>,
  { name, range }: MissingPackage,
): boolean {
  const meta = isRecord(manifest['peerDependenciesMeta']) ? manifest['peerDependenciesMeta'] : {};
  const isOptional =
    Object.hasOwn(pickStrings(manifest['optionalDependencies']), name) || Object.hasOwn(meta, name);
  if (isOptional) return false;
  const dependencies = [manifest['dependencies'], manifest['peerDependencies']].map(pickStrings);
  return dependencies.some(
    (own) => Object.hasOwn(own, name) && (range === undefined || own[name]?.trim() === range),
  );
}

/**
 * The packument without the excluded versions. A tag of an excluded version moves to the newest
 * version below it.
 */
function excludeVersions(
  document: Packument,
  excluded: ReadonlySet<string> | undefined,
): Packument {
  if (excluded === undefined) return document;
  const versions = Object.fromEntries(
    Object.entries(document.versions).filter(([version]) => !excluded.has(version)),
  );
  const tags = Object.entries(document.tags).flatMap(([tag, version]): [string, string][] => {
    if (!excluded.has(version)) return [[tag, version]];
    const below = semver.maxSatisfying(Object.keys(versions), `<${version}`, true);
    return below === null ? [] : [[tag, below]];
  });
  return { ...document, versions, tags: Object.fromEntries(tags) };
}
