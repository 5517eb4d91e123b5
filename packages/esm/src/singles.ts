/*
 * Packages of which a page must have one copy, since they compare what they made themselves: two
 * Reacts do not share hooks, two threes do not know each other's vectors.
 *
 * Where a project's packages want several versions of one, the version that the project itself
 * would import is taken for all of them. That is written down as npm's `overrides` in package.json,
 * so that npm does the same with the same files. Someone who asks for a second copy under another
 * name (`"react17": "npm:react@17"`) gets it.
 */
import { VitrineError } from '@vitrine/project';
import semver from 'semver';
import { findWish } from './package-json-text.ts';
import { resolveTree, type ReadDocument } from './resolve-tree.ts';
import { isRecord } from './specs.ts';

/** Parts of a single that are published apart, and belong to exactly its version. */
const wholes: ReadonlyMap<string, string> = new Map([
  ['@vue/reactivity', 'vue'],
  ['@vue/runtime-core', 'vue'],
  ['@vue/runtime-dom', 'vue'],
  ['@vue/shared', 'vue'],
]);

const singles: ReadonlySet<string> = new Set([
  ...wholes.keys(),
  'preact',
  'react',
  'react-dom',
  'three',
  'vue',
  'yjs',
]);

/**
 * `resolveTree`, and again with one more override in `manifest` for each single that would come
 * twice.
 */
export async function resolveSingly(options: {
  manifest: Record<string, unknown>;
  lock: string | undefined;
  update: readonly string[];
  readDocument: ReadDocument;
}): Promise<string> {
  const { manifest } = options;
  const dropped = new Set<string>();
  // Each round gives or takes an override that no round before did, so there are few.
  for (;;) {
    const { lock, doubled, failure } = await tryOnce(options);
    const fresh = [...doubled].filter(([name]) => !hasOverride(manifest, name));
    // Parts follow a whole that is about to come once.
    const due = fresh.filter(([name]) => !fresh.some(([other]) => other === wholes.get(name)));
    for (const [name, version] of due) override(manifest, name, version);
    if (due.length > 0) continue;
    if (lock === undefined) throw failure;
    const places = parsePlaces(lock);
    const stale = findStale(manifest, places).filter((name) => !dropped.has(name));
    if (stale.length === 0) {
      checkFamilies(places);
      return lock;
    }
    for (const name of stale) dropOverride(manifest, name);
    stale.forEach((name) => dropped.add(name));
  }
}

/** Parts that an override holds at the version which their whole had before. */
function findStale(manifest: Places, places: Places): string[] {
  const overrides = isRecord(manifest['overrides']) ? manifest['overrides'] : {};
  return [...wholes].flatMap(([part, whole]) => {
    const held = overrides[part];
    const version = versionAtTop(places, whole);
    const isStale =
      typeof held === 'string' &&
      semver.valid(held) !== null &&
      version !== undefined &&
      version !== held;
    return isStale ? [part] : [];
  });
}

async function tryOnce(options: Parameters<typeof resolveTree>[0]) {
  try {
    const lock = await resolveTree(options);
    return { lock, doubled: findDoubled(parsePlaces(lock)), failure: undefined };
  } catch (failure) {
    return { lock: undefined, doubled: findConflicting(failure), failure };
  }
}

type Places = Readonly<Record<string, unknown>>;

function parsePlaces(text: string): Places {
  const lock: unknown = JSON.parse(text);
  return isRecord(lock) && isRecord(lock['packages']) ? lock['packages'] : {};
}

/** Singles that stand in the tree in several versions → that of their whole, or the one at its top. */
function findDoubled(places: Places): Map<string, string> {
  const versions = new Map<string, Set<string>>();
  for (const [place, fields] of Object.entries(places)) {
    const name = place.replace(/^.*node_modules\//, '');
    if (!singles.has(name) || !isRecord(fields) || fields['name'] !== undefined) continue;
    versions.set(name, (versions.get(name) ?? new Set()).add(String(fields['version'])));
  }
  const doubled = [...versions].filter(([, found]) => found.size > 1);
  return new Map(
    doubled.map(([name, found]) => [name, chooseVersion(places, name, found)] as const),
  );
}

function chooseVersion(places: Places, name: string, found: ReadonlySet<string>): string {
  const ofWhole = versionAtTop(places, wholes.get(name) ?? name);
  if (ofWhole !== undefined && found.has(ofWhole)) return ofWhole;
  const [first = ''] = found;
  return versionAtTop(places, name) ?? first;
}

function versionAtTop(places: Places, name: string): string | undefined {
  const fields = places[`node_modules/${name}`];
  return isRecord(fields) && typeof fields['version'] === 'string' ? fields['version'] : undefined;
}

/** A conflict about a single, unless a relative of it (react-dom) is who wants another version. */
function findConflicting(failure: unknown): Map<string, string> {
  if (!(failure instanceof VitrineError) || failure.code !== 'package_conflict') return new Map();
  const { cause } = failure;
  if (!isRecord(cause) || !isRecord(cause['edge']) || !isRecord(cause['current'])) return new Map();
  const { name, from } = cause['edge'];
  const { version } = cause['current'];
  const wanting = isRecord(from) ? from['name'] : undefined;
  if (typeof name !== 'string' || !singles.has(name) || typeof version !== 'string') {
    return new Map();
  }
  return typeof wanting === 'string' && singles.has(wanting)
    ? new Map()
    : new Map([[name, version]]);
}

/** An override must not part react-dom from the react it is made for. */
function checkFamilies(places: Places): void {
  for (const name of singles) {
    const fields = places[`node_modules/${name}`];
    const peers =
      isRecord(fields) && isRecord(fields['peerDependencies']) ? fields['peerDependencies'] : {};
    for (const [peer, range] of Object.entries(peers)) {
      const version = singles.has(peer) ? versionAtTop(places, peer) : undefined;
      if (version === undefined || typeof range !== 'string') continue;
      if (semver.satisfies(version, range, { includePrerelease: true, loose: true })) continue;
      throw new VitrineError(
        'package_conflict',
        `${name} wants ${peer}@${range}, and ${version} is there`,
      );
    }
  }
}

function dropOverride(manifest: Record<string, unknown>, name: string): void {
  if (!isRecord(manifest['overrides'])) return;
  const others = Object.entries(manifest['overrides']).filter(([other]) => other !== name);
  if (others.length > 0) manifest['overrides'] = Object.fromEntries(others);
  else delete manifest['overrides'];
}

function hasOverride(manifest: Places, name: string): boolean {
  return isRecord(manifest['overrides']) && Object.hasOwn(manifest['overrides'], name);
}

function override(manifest: Record<string, unknown>, name: string, version: string): void {
  const wish = findWish(manifest, name) === undefined ? version : `$${name}`;
  const overrides = isRecord(manifest['overrides']) ? manifest['overrides'] : {};
  manifest['overrides'] = { ...overrides, [name]: wish };
}
