import { extension, findPackageAddress, packageAddresses, readLock } from '@vitrine/project';
import type { ModuleContext } from './compile-module.ts';
import { findMappedSpecifiers } from './compile-page.ts';
import { readScriptSettings } from './project-settings.ts';
import type { ScriptSettings } from './transform-script.ts';

/** All of a project that decides how one of its files is compiled, beside that file's own text. */
export interface ProjectFacts {
  paths: readonly string[];
  script: ScriptSettings;
  /** Text of `package-lock.json`; '' where there is none. */
  lock: string;
  /** Specifiers in import maps of its pages. */
  mapped: readonly string[];
}

export function readFacts(files: ReadonlyMap<string, string>): ProjectFacts {
  const pages = [...files].filter(([path]) => isPage(path));
  return {
    paths: [...files.keys()].sort(),
    script: readScriptSettings((path) => files.get(path)),
    lock: files.get('package-lock.json') ?? '',
    mapped: findMappedSpecifiers(pages.map(([, text]) => text)),
  };
}

/**
 * The facts of files that were others before. It is asked with every key, so where nothing that
 * decides has changed these are the same facts, and no text is read for it.
 */
export function renewFacts(
  facts: ProjectFacts,
  before: ReadonlyMap<string, string>,
  files: ReadonlyMap<string, string>,
): ProjectFacts {
  const decides = (path: string, text: string) => {
    const earlier = before.get(path);
    if (earlier === text) return false;
    return earlier === undefined || mayDecide(path, earlier) || mayDecide(path, text);
  };
  const isSame =
    before.size === files.size && ![...files].some(([path, text]) => decides(path, text));
  return isSame ? facts : readFacts(files);
}

const settingsFiles: readonly string[] = ['tsconfig.json', 'package.json', 'package-lock.json'];

function mayDecide(path: string, text: string): boolean {
  return settingsFiles.includes(path) || (isPage(path) && text.includes('importmap'));
}

/** Whether everything compiles the same under both. */
export function isSameFacts(a: ProjectFacts, b: ProjectFacts): boolean {
  if (a === b) return true;
  return (
    a.lock === b.lock &&
    JSON.stringify(a.script) === JSON.stringify(b.script) &&
    isSameList(a.paths, b.paths) &&
    isSameList(a.mapped, b.mapped)
  );
}

function isPage(path: string): boolean {
  return ['html', 'htm'].includes(extension(path));
}

function isSameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}

export interface PackageOptions {
  /** Origin of the app's host, where packages are served. */
  origin: string;
  /**
   * Addresses, below that origin, of modules known to show all their names to importers. Imports
   * from the others say in their address which names they want, as CommonJS may not show them.
   */
  plainAddresses: ReadonlySet<string>;
}

export function createModuleContext(
  facts: ProjectFacts,
  packages: PackageOptions,
  guardsLoops = false,
): ModuleContext {
  const paths = new Set(facts.paths);
  const lock = readLock(facts.lock);
  const bases = lock ? packageAddresses(lock, facts.script.jsxMode) : new Map<string, string>();
  return {
    exists: (path) => paths.has(path),
    mapped: facts.mapped,
    resolvePackage(specifier, names) {
      const address = findPackageAddress(bases, specifier);
      if (address === undefined) return undefined;
      const isPlain = packages.plainAddresses.has(address);
      const query =
        names.length === 0 || isPlain ? '' : `?names=${names.map(encodeURIComponent).join(',')}`;
      return `${packages.origin}${address}${query}`;
    },
    settings: facts.script,
    guardsLoops,
  };
}
