/*
 * Registries lack versions: a mirror that is behind, one that holds back what was published in the
 * last days, a package whose parts were published with a mistake. The newest version of a package
 * may then want what cannot be had, and the one before it works. So versions that want such a
 * thing are passed over, as if they had not been published, and the tree is resolved again.
 */
import { VitrineError } from '@vitrine/project';
import semver from 'semver';
import { readTexts } from './manifest-fields.ts';
import type { PackageDocument } from './package-document.ts';
import { isRecord } from './specs.ts';

export type ReadPackageDocument = (name: string) => Promise<PackageDocument>;

/** Each step resolves anew; a tree that needs more is not worth the wait. */
const stepsMax = 12;

/**
 * What `resolve` gives, with documents in which no version is left that wants what this registry
 * does not have. When passing over versions does not help, throws the first failure, which names
 * what is missing.
 */
export async function withStepsBack<T>(
  read: ReadPackageDocument,
  resolve: (readInstallable: ReadPackageDocument) => Promise<T>,
): Promise<T> {
  const documents = new Map<string, PackageDocument>();
  const passedOver = new Map<string, Set<string>>();
  const readInstallable = async (name: string) => {
    const document = await read(name);
    documents.set(name, document);
    return withoutVersions(document, passedOver.get(name));
  };
  let first: unknown;
  for (let step = 0; ; step += 1) {
    try {
      return await resolve(readInstallable);
    } catch (error) {
      first ??= error;
      const missing = findMissing(error);
      if (missing === undefined || step === stepsMax) throw first;
      if (!passOver(documents.values(), missing, passedOver)) throw first;
    }
  }
}

/** A package that is not there at all, or has no version for this wish. */
interface Missing {
  readonly name: string;
  readonly wish?: string;
}

function findMissing(error: unknown): Missing | undefined {
  if (!(error instanceof VitrineError) || error.details === undefined) return undefined;
  const { code, details } = error;
  if (code === 'package_not_found') return { name: details };
  if (code !== 'package_version_not_found') return undefined;
  // 'three@^99'
  const at = details.indexOf('@', 1);
  return { name: details.slice(0, at), wish: details.slice(at + 1) };
}

/** Notes the versions that cannot do without it. False when there are none, or all were noted before. */
function passOver(
  documents: Iterable<PackageDocument>,
  missing: Missing,
  passedOver: Map<string, Set<string>>,
): boolean {
  let isNew = false;
  for (const { name, versions } of documents) {
    const known = passedOver.get(name) ?? new Set();
    for (const [version, manifest] of Object.entries(versions)) {
      if (known.has(version) || !wants(manifest, missing)) continue;
      passedOver.set(name, known.add(version));
      isNew = true;
    }
  }
  return isNew;
}

function wants(manifest: Readonly<Record<string, unknown>>, { name, wish }: Missing): boolean {
  const meta = isRecord(manifest['peerDependenciesMeta']) ? manifest['peerDependenciesMeta'] : {};
  const isOptional =
    Object.hasOwn(readTexts(manifest['optionalDependencies']), name) || Object.hasOwn(meta, name);
  if (isOptional) return false;
  const wishes = [manifest['dependencies'], manifest['peerDependencies']].map(readTexts);
  return wishes.some(
    (own) => Object.hasOwn(own, name) && (wish === undefined || own[name]?.trim() === wish),
  );
}

/** A tag of a version that was passed over leads to the newest one below it. */
function withoutVersions(
  document: PackageDocument,
  passedOver: ReadonlySet<string> | undefined,
): PackageDocument {
  if (passedOver === undefined) return document;
  const versions = Object.fromEntries(
    Object.entries(document.versions).filter(([version]) => !passedOver.has(version)),
  );
  const tags = Object.entries(document.tags).flatMap(([tag, version]): [string, string][] => {
    if (!passedOver.has(version)) return [[tag, version]];
    const below = semver.maxSatisfying(Object.keys(versions), `<${version}`, true);
    return below === null ? [] : [[tag, below]];
  });
  return { ...document, versions, tags: Object.fromEntries(tags) };
}
