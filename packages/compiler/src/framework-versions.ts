/**
 * The version of each framework that a project uses, by which its compiler is chosen: the one in the
 * lockfile or, before the packages are resolved, the one that the range in `package.json` means.
 */
import type { Lockfile } from '@vitrine/esm/lockfile';
import { isRecord, type QuickFix } from '@vitrine/project';
import type { CompileDiagnostic } from './script/check-script.ts';
import type { ScriptSettings } from './script/transform-script.ts';

/** Frameworks whose files compile differently in some versions. */
const frameworks = ['preact', 'react', 'svelte', 'tailwindcss', 'vue'] as const;

type Framework = (typeof frameworks)[number];

/** Versions, or ranges in `package.json`, of the frameworks that a project depends on. */
export type FrameworkVersions = Readonly<Partial<Record<Framework, string>>>;

/** Reads the ranges of frameworks in a parsed `package.json`. */
export function readFrameworkRanges(manifest: unknown): FrameworkVersions {
  const lists = isRecord(manifest)
    ? dependencyLists.map((list) => manifest[list]).filter(isRecord)
    : [];
  return Object.fromEntries(
    frameworks.flatMap((name) => {
      const range = lists.map((list) => list[name]).find((value) => typeof value === 'string');
      return range === undefined ? [] : [[name, range]];
    }),
  );
}

const dependencyLists = ['dependencies', 'devDependencies', 'peerDependencies'];

/** Finds the versions of a project's frameworks. Those of unknown version are left out. */
export function findFrameworkVersions(
  ranges: FrameworkVersions,
  lockfile: Lockfile | undefined,
): FrameworkVersions {
  return Object.fromEntries(
    frameworks.flatMap((name) => {
      const version = lockfile?.direct.get(name)?.version ?? findRangeVersion(ranges[name] ?? '');
      return version === undefined ? [] : [[name, version]];
    }),
  );
}

/**
 * Finds the version that the last alternative of a range probably resolves to, with "x" for the newest
 * minor version; undefined if any version may be meant.
 * "^4.2.18" → "4.x"; "3 || ~4.1" → "4.1"; "npm:svelte@4" → "4.x"; ">=3", "latest" → undefined
 */
function findRangeVersion(range: string): string | undefined {
  const last =
    range
      .replace(/^npm:.+@/, '')
      .split('||')
      .at(-1)
      ?.trim() ?? '';
  const [, operator, major, minor] = /^(\^|[~=v]*)\s*(\d+)(?:\.(\d+))?/.exec(last) ?? [];
  if (major === undefined) return undefined;
  return `${major}.${operator === '^' ? 'x' : (minor ?? 'x')}`;
}

/** "4.2.20", "4.x" → 4; undefined for an unknown version. */
export function getMajor(version: string | undefined): number | undefined {
  return version === undefined ? undefined : Number.parseInt(version, 10);
}

/** Whether a version is known to be older than `major.minor`. */
export function isOlder(version: string | undefined, major: number, minor = 0): boolean {
  if (version === undefined) return false;
  // A minor version of "x" is the newest: comparisons with NaN are false.
  const [ownMajor = 0, ownMinor = 0] = version.split('.').map(Number);
  return ownMajor < major || (ownMajor === major && ownMinor < minor);
}

/**
 * Changes the settings of JSX for versions without the functions that it is compiled to by default:
 * React before 16.14 and Preact before 10.5. Their functions have to be in scope, as they were then.
 */
export function adaptScriptSettings(
  settings: ScriptSettings,
  { react, preact }: FrameworkVersions,
): ScriptSettings {
  const isOldReact = settings.jsxImportSource === 'react' && isOlder(react, 16, 14);
  const isOldPreact = settings.jsxImportSource === 'preact' && isOlder(preact, 10, 5);
  if (!isOldReact && !isOldPreact) return settings;
  return {
    ...settings,
    jsxRuntime: 'classic',
    jsxFactory: settings.jsxFactory ?? (isOldPreact ? 'h' : undefined),
    jsxFragmentFactory: settings.jsxFragmentFactory ?? (isOldPreact ? 'Fragment' : undefined),
    refreshLibrary: isOlder(react, 16, 9) || isOlder(preact, 10) ? null : settings.refreshLibrary,
  };
}

interface SupportedVersions {
  /** "Svelte" */
  label: string;
  /** "3, 4 and 5" */
  versions: string;
  /** The range to change to, for versions that are too old and too new. */
  oldest: string;
  newest: string;
}

/** Creates the problem of a file whose framework has a version without a compiler, with its fix. */
export function createVersionProblem(
  name: Framework,
  version: string,
  { label, versions, oldest, newest }: SupportedVersions,
  manifest: string | undefined,
): CompileDiagnostic {
  const range = isOlder(version, Number.parseInt(oldest.replace(/^\D+/, ''), 10) + 1)
    ? oldest
    : newest;
  const fix = createRangeFix(manifest ?? '', name, range);
  const shown = version.replace(/^(\d+\.\d+).*$/, '$1').replace(/\.[0x]$/, '');
  return {
    message: `${label} ${shown} isn’t supported; only ${versions} are. Change “${name}” in package.json to “${range}”.`,
    line: 1,
    column: 1,
    ...(fix && { fixes: [fix] }),
  };
}

/** Creates a fix that changes the range of a package in `package.json`. */
function createRangeFix(manifest: string, name: string, range: string): QuickFix | undefined {
  const found = new RegExp(`("${name}"\\s*:\\s*)"([^"\\n]*)"`).exec(manifest);
  if (!found) return undefined;
  const [, before = '', text = ''] = found;
  const start = found.index + before.length + 1;
  const lines = manifest.slice(0, start).split('\n');
  const column = (lines.at(-1)?.length ?? 0) + 1;
  return {
    label: `Change ${name} to ${range}`,
    edit: {
      type: 'replace',
      path: 'package.json',
      line: lines.length,
      column,
      before: text,
      text: range,
    },
  };
}
