import { findPackageUrl, computePackageUrls, parseLockfile } from '@vitrine/esm/lockfile';
import { getExtension } from '@vitrine/project';
import {
  adaptScriptSettings,
  findFrameworkVersions,
  readFrameworkRanges,
  type FrameworkVersions,
} from './framework-versions.ts';
import { findImportMapSpecifiers } from './page/compile-page.ts';
import { parseJsonWithComments, readScriptSettings } from './script/script-settings.ts';
import type { ScriptSettings } from './script/transform-script.ts';
import type { ModuleContext } from './compile-context.ts';

/** Everything in a project that the compiled output of a file depends on, besides the file's text. */
export interface ProjectConfig {
  paths: readonly string[];
  script: ScriptSettings;
  /** Ranges of frameworks in `package.json`. */
  ranges: FrameworkVersions;
  /** Text of `package-lock.json`; '' if the project has none. */
  lockfile: string;
  /** Specifiers in import maps of the project's pages. */
  mapped: readonly string[];
}

export function readProjectConfig(files: ReadonlyMap<string, string>): ProjectConfig {
  const pages = [...files].filter(([path]) => isPage(path));
  return {
    paths: [...files.keys()].sort(),
    script: readScriptSettings((path) => files.get(path)),
    ranges: readFrameworkRanges(parseJsonWithComments(files.get('package.json') ?? '')),
    lockfile: files.get('package-lock.json') ?? '',
    mapped: findImportMapSpecifiers(pages.map(([, text]) => text)),
  };
}

/**
 * Whether changed files may change the config. Runs on every keystroke.
 * @param before Texts of all files before the change.
 */
export function mayChangeProjectConfig(
  before: ReadonlyMap<string, string>,
  changed: ReadonlyMap<string, string>,
  removed: readonly string[],
): boolean {
  if (removed.length > 0) return true;
  return [...changed].some(([path, text]) => {
    const previous = before.get(path);
    return previous === undefined || affectsConfig(path, previous) || affectsConfig(path, text);
  });
}

const settingsFiles: readonly string[] = ['tsconfig.json', 'package.json', 'package-lock.json'];

function affectsConfig(path: string, text: string): boolean {
  return settingsFiles.includes(path) || (isPage(path) && text.includes('importmap'));
}

/** Whether all files compile to the same output with both configs. */
export function isSameProjectConfig(a: ProjectConfig, b: ProjectConfig): boolean {
  if (a === b) return true;
  return (
    a.lockfile === b.lockfile &&
    JSON.stringify([a.script, a.ranges]) === JSON.stringify([b.script, b.ranges]) &&
    isSameList(a.paths, b.paths) &&
    isSameList(a.mapped, b.mapped)
  );
}

function isPage(path: string): boolean {
  return ['html', 'htm'].includes(getExtension(path));
}

function isSameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}

export interface PackageOptions {
  /** Origin of the app, which serves the packages. */
  origin: string;
  /**
   * URLs, relative to that origin, of modules known to have all their names as static exports.
   * Imports of other modules list the imported names in the URL, since CommonJS may not export them
   * statically.
   */
  fullExportUrls: ReadonlySet<string>;
}

export function createModuleContext(
  config: ProjectConfig,
  packages: PackageOptions,
  guardsLoops = false,
): ModuleContext {
  const paths = new Set(config.paths);
  const lockfile = parseLockfile(config.lockfile);
  const packageUrls = lockfile
    ? computePackageUrls(lockfile, config.script.jsxMode)
    : new Map<string, string>();
  const versions = findFrameworkVersions(config.ranges, lockfile);
  return {
    exists: (path) => paths.has(path),
    mapped: config.mapped,
    resolvePackage(specifier, names) {
      const url = findPackageUrl(packageUrls, specifier);
      if (url === undefined) return undefined;
      const isPlain = packages.fullExportUrls.has(url);
      const query =
        names.length === 0 || isPlain ? '' : `?names=${names.map(encodeURIComponent).join(',')}`;
      return `${packages.origin}${url}${query}`;
    },
    settings: adaptScriptSettings(config.script, versions),
    versions,
    guardsLoops,
  };
}
