import {
  encodePath,
  findCssImports,
  flattenCss,
  isScriptPath,
  isStylePath,
} from '@vitrine/compiler';
import { getExtension } from '@vitrine/project';
import type { FileDifference, ModuleStore } from './module-store.ts';

/** Whether a change can be applied by replacing stylesheets in the running document. */
export function isStyleOnly({ changed, removed, changedModules }: FileDifference): boolean {
  return removed.length === 0 && changedModules.length === 0 && changed.every(isStylePath);
}

/** Whether only this page and stylesheets changed. Doesn't check whether the page has scripts. */
export function isDocumentOnly({ changed, removed }: FileDifference, page: string): boolean {
  return removed.length === 0 && changed.every((path) => path === page || isStylePath(path));
}

/** Whether only files changed that no page loads by itself, so that they matter only if a script fetched them. */
export function isDataOnly({ changed, removed }: FileDifference): boolean {
  return [...changed, ...removed].every(
    (path) => !isScriptPath(path) && !['html', 'htm'].includes(getExtension(path)),
  );
}

export function mergeDifferences(a: FileDifference, b: FileDifference): FileDifference {
  return {
    changed: [...new Set([...a.changed, ...b.changed])],
    removed: [...new Set([...a.removed, ...b.removed])],
    changedModules: [...new Set([...a.changedModules, ...b.changedModules])],
  };
}

/** Stylesheets with texts that work in any document of the project. */
export function readStyleTexts(
  paths: readonly string[],
  moduleStore: ModuleStore,
): [path: string, text: string][] {
  return paths.map((path) => [path, styleText(path, moduleStore)]);
}

/** A stylesheet with absolute URLs and inlined `@import`s. */
function styleText(path: string, moduleStore: ModuleStore): string {
  const text = moduleStore.readOutput(path) ?? '';
  if (!/url\(|@import/i.test(text)) return text;
  return flattenCss(
    path,
    (file) => moduleStore.readOutput(file),
    (file) => `/${encodePath(file)}`,
  );
}

/** Stylesheets that import any of these, directly or indirectly, or were compiled with them. */
export function findImportingStyles(paths: readonly string[], moduleStore: ModuleStore): string[] {
  if (paths.length === 0) return [];
  const imports = [...moduleStore.paths].filter(isStylePath).map((path) => ({
    path,
    targets: [...importsOf(path, moduleStore), ...moduleStore.dependenciesOf(path)],
  }));
  const found = new Set<string>();
  for (let targetsLeft = new Set(paths); targetsLeft.size > 0;) {
    const next = imports.filter(
      ({ path, targets }) => !found.has(path) && targets.some((target) => targetsLeft.has(target)),
    );
    targetsLeft = new Set(next.map(({ path }) => path));
    for (const path of targetsLeft) found.add(path);
  }
  return [...found];
}

/** Most stylesheets import nothing and aren't parsed. */
function importsOf(path: string, moduleStore: ModuleStore): string[] {
  const text = moduleStore.readOutput(path) ?? '';
  return /@import/i.test(text) ? findCssImports(path, text) : [];
}

/** Those of the stylesheets that others of them import, so the page itself may not link them. */
export function findImportedStyles(paths: readonly string[], moduleStore: ModuleStore): string[] {
  if (paths.length < 2) return [];
  return paths.filter((path) =>
    findImportingStyles([path], moduleStore).some(
      (importer) => importer !== path && paths.includes(importer),
    ),
  );
}
