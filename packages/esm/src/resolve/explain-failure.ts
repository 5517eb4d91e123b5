/*
 * Says why versions can't be resolved: which packages require what, and a version that would work. The
 * sentences are the `details` of errors.
 */
import { isRecord } from '@vitrine/project/is-record';
import { VitrineError } from '@vitrine/project';
import semver from 'semver';
import { pickStrings } from '../manifest-fields.ts';
import type { Packument } from '../registry/packument.ts';
import { findDependencyRange } from './edit-package-json.ts';

/** Two ranges of a package that no version of it satisfies. */
interface Conflict {
  readonly name: string;
  /** The requirement that isn't met, and the one that an installed version meets. */
  readonly unmet: Requirement;
  readonly met: Requirement & { readonly version: string };
}

interface Requirement {
  /** The package that requires it. Undefined for the project. */
  readonly dependent: { readonly name: string; readonly version: string } | undefined;
  /** Undefined if it isn't known, as with an override. */
  readonly range: string | undefined;
}

/**
 * Describes a conflict that npm's resolver reports with `edge` and `current`, or with `peerConflict`:
 * `old@1.0.0 requires react@^17, but package.json requires react@^19.`
 */
export function describeConflict(error: unknown): string {
  const conflict = readConflict(error);
  if (!conflict) return '';
  const { name, unmet, met } = conflict;
  const other =
    met.range === undefined
      ? `${name}@${met.version} is installed`
      : `${describeDependent(met)} requires ${name}@${met.range}`;
  return `${describeDependent(unmet)} requires ${name}@${unmet.range ?? '?'}, but ${other}.`;
}

/**
 * Adds to the details of a failed resolution who requires a missing version, and a version that works.
 *
 * @param documents Packuments that were read, by name.
 */
export function explainFailure(
  failure: unknown,
  manifest: Readonly<Record<string, unknown>>,
  documents: ReadonlyMap<string, Packument>,
): unknown {
  if (!(failure instanceof VitrineError)) return failure;
  const { code, details = '', cause } = failure;
  if (code === 'package_conflict') {
    const conflict = readConflict(cause);
    const works = conflict && findWorkingVersion(conflict, documents);
    return works ? new VitrineError(code, `${details} ${works}`, { cause }) : failure;
  }
  if (code !== 'package_version_not_found') return failure;
  // 'three@^99'
  const at = details.indexOf('@', 1);
  const missing = { name: details.slice(0, at), range: details.slice(at + 1) };
  return new VitrineError(code, explainMissing(missing, manifest, documents), { cause });
}

/** `a@^9, which package.json requires, doesn’t exist. The newest version of a is 1.2.0.` */
function explainMissing(
  { name, range }: { readonly name: string; readonly range: string },
  manifest: Readonly<Record<string, unknown>>,
  documents: ReadonlyMap<string, Packument>,
): string {
  const known = listVersions(documents.get(name));
  const isDirect = findDependencyRange(manifest, name) === range;
  const dependent = isDirect ? undefined : findDependent(name, range, documents);
  const by = isDirect ? 'package.json' : dependent && `${dependent.name}@${dependent.version}`;
  const parts = [`${name}@${range}${by ? `, which ${by} requires,` : ''} doesn’t exist.`];
  const works =
    dependent &&
    findVersion(documents.get(dependent.name), (own) =>
      known.some((version) => own !== undefined && satisfies(version, own[name])),
    );
  if (works !== undefined) parts.push(`${dependent?.name}@${works} works.`);
  else if (known[0] !== undefined) parts.push(`The newest version of ${name} is ${known[0]}.`);
  return parts.join(' ');
}

function findDependent(name: string, range: string, documents: ReadonlyMap<string, Packument>) {
  for (const [dependent, document] of documents) {
    const version = findVersion(document, (own) => own?.[name]?.trim() === range);
    if (version !== undefined) return { name: dependent, version };
  }
  return undefined;
}

/** `old@2.0.0 works with react@19.3.1.` Undefined if no version of either side is known to. */
function findWorkingVersion(
  { name, unmet, met }: Conflict,
  documents: ReadonlyMap<string, Packument>,
): string | undefined {
  const meets = (version: string, dependent: Requirement['dependent']) =>
    dependent &&
    findVersion(documents.get(dependent.name), (own) => satisfies(version, own?.[name]));
  const other = meets(met.version, unmet.dependent);
  if (other !== undefined)
    return `${unmet.dependent?.name}@${other} works with ${name}@${met.version}.`;
  const version = listVersions(documents.get(name)).find((each) => satisfies(each, unmet.range));
  if (version === undefined) return undefined;
  if (met.dependent === undefined)
    return `${name}@${version} works with ${describeDependent(unmet)}.`;
  const older = meets(version, met.dependent);
  return older && `${met.dependent.name}@${older} works with ${name}@${version}.`;
}

function describeDependent({ dependent }: Requirement): string {
  return dependent ? `${dependent.name}@${dependent.version}` : 'package.json';
}

/** The newest version of a packument whose dependencies and peers pass a test. */
function findVersion(
  document: Packument | undefined,
  passes: (dependencies: Readonly<Record<string, string>> | undefined) => boolean,
): string | undefined {
  return listVersions(document).find((version) => {
    const manifest = document?.versions[version];
    return passes({
      ...pickStrings(manifest?.['dependencies']),
      ...pickStrings(manifest?.['peerDependencies']),
    });
  });
}

/** A packument's versions, newest first; prereleases last. */
function listVersions(document: Packument | undefined): string[] {
  const versions = semver.rsort(
    Object.keys(document?.versions ?? {}).filter((version) => semver.valid(version, true)),
    true,
  );
  const isPrerelease = (version: string) => semver.prerelease(version, true) !== null;
  return [
    ...versions.filter((version) => !isPrerelease(version)),
    ...versions.filter(isPrerelease),
  ];
}

function satisfies(version: string, range: string | undefined): boolean {
  return range !== undefined && semver.satisfies(version, range, { loose: true });
}

/** Reads a conflict from an error of npm's resolver, or one with the same `edge` and `current`. */
function readConflict(error: unknown): Conflict | undefined {
  if (!isRecord(error)) return undefined;
  const { edge, current, peerConflict } = error;
  if (isRecord(peerConflict) && isRecord(peerConflict['peer']))
    return readSides(readDependents(peerConflict['peer'])[0], peerConflict['current']);
  return readSides(edge, current);
}

function readSides(unmet: unknown, current: unknown): Conflict | undefined {
  if (!isRecord(unmet) || !isRecord(current)) return undefined;
  const { name } = unmet;
  const { version } = current;
  if (typeof name !== 'string' || typeof version !== 'string') return undefined;
  // The requirement that is closest to the project says most.
  const met = readDependents(current)
    .filter((other) => isRecord(other) && other['spec'] !== unmet['spec'])
    .map(readRequirement)
    .toSorted(
      (one, other) => Number(one.dependent !== undefined) - Number(other.dependent !== undefined),
    )[0];
  return {
    name: shorten(name),
    unmet: readRequirement(unmet),
    met: { dependent: undefined, range: undefined, ...met, version: shorten(version) },
  };
}

function readDependents(node: unknown): readonly unknown[] {
  return isRecord(node) && Array.isArray(node['dependents']) ? node['dependents'] : [];
}

function readRequirement(edge: unknown): Requirement {
  const { spec, from } = isRecord(edge) ? edge : {};
  const range = typeof spec === 'string' ? shorten(spec) : undefined;
  if (!isRecord(from) || typeof from['name'] !== 'string') return { dependent: undefined, range };
  const { name, version } = from;
  return { dependent: { name: shorten(name), version: shorten(String(version)) }, range };
}

function shorten(text: string): string {
  return text.slice(0, 100);
}
