import {
  extension,
  findPackageAddress,
  packageAddresses,
  packageNameOf,
  readLock,
} from '@vitrine/project';
import type { ModuleContext } from './compile-module.ts';
import { findMappedSpecifiers } from './compile-page.ts';
import { readScriptSettings } from './project-settings.ts';

/** All of a project that decides how one of its files is compiled, beside that file's own text. */
export interface ProjectFacts {
  paths: readonly string[];
  /** Texts of `settingFiles` that are there. */
  settings: Readonly<Record<string, string>>;
  /** Specifiers in import maps of its pages. */
  mapped: readonly string[];
}

const settingFiles = ['package.json', 'package-lock.json', 'tsconfig.json'];

export function readFacts(files: ReadonlyMap<string, string>): ProjectFacts {
  const pages = [...files].filter(([path]) => ['html', 'htm'].includes(extension(path)));
  return {
    paths: [...files.keys()].sort(),
    settings: Object.fromEntries(
      settingFiles.flatMap((path) => {
        const text = files.get(path);
        return text === undefined ? [] : [[path, text]];
      }),
    ),
    mapped: findMappedSpecifiers(pages.map(([, text]) => text)),
  };
}

/** Whether everything compiles the same under both. */
export function isSameFacts(a: ProjectFacts, b: ProjectFacts): boolean {
  return (
    isSameList(a.paths, b.paths) &&
    isSameList(a.mapped, b.mapped) &&
    settingFiles.every((path) => a.settings[path] === b.settings[path])
  );
}

function isSameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}

export interface PackageOptions {
  /** Origin of the app's host, where packages are served. */
  origin: string;
  /**
   * Packages known to show all their names to importers. Imports from the others say in their
   * address which names they want, as CommonJS modules may not show them.
   */
  plainPackages: ReadonlySet<string>;
}

export function createModuleContext(facts: ProjectFacts, packages: PackageOptions): ModuleContext {
  const paths = new Set(facts.paths);
  const settings = readScriptSettings((path) => facts.settings[path]);
  const lock = readLock(facts.settings['package-lock.json'] ?? '');
  const bases = lock ? packageAddresses(lock, settings.jsxMode) : new Map<string, string>();
  return {
    exists: (path) => paths.has(path),
    mapped: facts.mapped,
    resolvePackage(specifier, names) {
      const address = findPackageAddress(bases, specifier);
      if (address === undefined) return undefined;
      const isPlain = packages.plainPackages.has(packageNameOf(specifier) ?? '');
      const query =
        names.length === 0 || isPlain ? '' : `?names=${names.map(encodeURIComponent).join(',')}`;
      return `${packages.origin}${address}${query}`;
    },
    settings,
  };
}
