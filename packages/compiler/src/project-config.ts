import { findPackageUrl, computePackageUrls, parseLockfile } from '@vitrine/esm/lockfile';
import { getExtension } from '@vitrine/project';
import { isEnvFile, readEnvironment, type Environment } from './env-files.ts';
import {
  adaptScriptSettings,
  findFrameworkVersions,
  readFrameworkRanges,
  type FrameworkVersions,
} from './framework-versions.ts';
import { readImportAliases } from './import-aliases.ts';
import { resolveAlias, resolveAliasPattern, type ImportAlias } from './resolve-alias.ts';
import { isRollupConfig, readBundles, type Bundle } from './rollup-config.ts';
import { isTypeScriptConfig, parseJsonWithComments } from './typescript-config.ts';
import { findViteConfig, isViteConfig, readViteConfig } from './vite-config.ts';
import { readMain } from './page/create-react-app.ts';
import { findImportMapSpecifiers } from './page/compile-page.ts';
import { readScriptSettings } from './script/script-settings.ts';
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
  /** Aliases of import specifiers; the first that matches counts. */
  aliases: readonly ImportAlias[];
  /** Values of `import.meta.env`. */
  env: Environment;
  /** Scripts that the project's build would make. */
  bundles: readonly Bundle[];
  /** `main` of `package.json`, if it's the script of a page. */
  main: string | undefined;
}

export function readProjectConfig(files: ReadonlyMap<string, string>): ProjectConfig {
  const read = (path: string) => files.get(path);
  const vite = findViteConfig(read);
  const pages = [...files].filter(([path]) => isPage(path));
  const manifest = parseJsonWithComments(read('package.json') ?? '');
  return {
    paths: [...files.keys()].sort(),
    script: readScriptSettings(read),
    ranges: readFrameworkRanges(manifest),
    lockfile: files.get('package-lock.json') ?? '',
    mapped: findImportMapSpecifiers(pages.map(([, text]) => text)),
    aliases: readImportAliases(read),
    bundles: readBundles(read),
    main: readMain(manifest),
    env: readEnvironment(
      read,
      vite === undefined ? [] : readViteConfig(vite, read(vite) ?? '').envPrefixes,
    ),
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

/** Whether the config depends on the contents of a file. Takes time linear in their length. */
export function affectsConfig(path: string, text: string): boolean {
  return (
    path === 'package.json' ||
    path === 'package-lock.json' ||
    isTypeScriptConfig(path) ||
    isViteConfig(path) ||
    isRollupConfig(path) ||
    isEnvFile(path) ||
    (isPage(path) && text.includes('importmap'))
  );
}

/** Whether all files compile to the same output with both configs. */
export function isSameProjectConfig(a: ProjectConfig, b: ProjectConfig): boolean {
  if (a === b) return true;
  return (
    a.lockfile === b.lockfile &&
    JSON.stringify([a.script, a.ranges, a.aliases, a.env, a.bundles, a.main]) ===
      JSON.stringify([b.script, b.ranges, b.aliases, b.env, b.bundles, b.main]) &&
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
    paths: config.paths,
    exists: (path) => paths.has(path),
    resolveAlias: (specifier) => resolveAlias(specifier, config.aliases, (path) => paths.has(path)),
    resolveAliasPattern: (pattern) => resolveAliasPattern(pattern, config.aliases, config.paths),
    env: config.env,
    mapped: config.mapped,
    bundles: config.bundles,
    main: config.main,
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
