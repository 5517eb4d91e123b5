import {
  encodePath,
  findCssImports,
  flattenCss,
  isScriptPath,
  isStylePath,
} from '@vitrine/compiler';
import { extension } from '@vitrine/project';
import type { Difference, Sources } from './sources.ts';

/** Whether a change can be applied by replacing stylesheets in the running document. */
export function isStyleOnly({ changed, removed, remade }: Difference): boolean {
  return removed.length === 0 && remade.length === 0 && changed.every(isStylePath);
}

/** Whether only this page and stylesheets changed. Doesn't check whether the page has scripts. */
export function isDocumentOnly({ changed, removed }: Difference, page: string): boolean {
  return removed.length === 0 && changed.every((path) => path === page || isStylePath(path));
}

/** Whether only files changed that no page loads by itself, so that they matter only if a script fetched them. */
export function isQuiet({ changed, removed }: Difference): boolean {
  return [...changed, ...removed].every(
    (path) => !isScriptPath(path) && !['html', 'htm'].includes(extension(path)),
  );
}

export function joinDifferences(a: Difference, b: Difference): Difference {
  return {
    changed: [...new Set([...a.changed, ...b.changed])],
    removed: [...new Set([...a.removed, ...b.removed])],
    remade: [...new Set([...a.remade, ...b.remade])],
  };
}

/** Stylesheets with texts that work in any document of the project. */
export function styleTexts(
  paths: readonly string[],
  sources: Sources,
): [path: string, text: string][] {
  return paths.map((path) => [path, styleText(path, sources)]);
}

/** A stylesheet with absolute URLs and inlined `@import`s. */
function styleText(path: string, sources: Sources): string {
  const text = sources.readRunning(path) ?? '';
  if (!/url\(|@import/i.test(text)) return text;
  return flattenCss(
    path,
    (file) => sources.readRunning(file),
    (file) => `/${encodePath(file)}`,
  );
}

/** Stylesheets that import any of these, directly or indirectly, or were compiled with them. */
export function findImporters(paths: readonly string[], sources: Sources): string[] {
  if (paths.length === 0) return [];
  const imports = [...sources.paths]
    .filter(isStylePath)
    .map((path) => ({ path, targets: [...importsOf(path, sources), ...sources.readsOf(path)] }));
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
function importsOf(path: string, sources: Sources): string[] {
  const text = sources.readRunning(path) ?? '';
  return /@import/i.test(text) ? findCssImports(path, text) : [];
}

/** Those of the stylesheets that others of them import, so the page itself may not link them. */
export function findParts(paths: readonly string[], sources: Sources): string[] {
  if (paths.length < 2) return [];
  return paths.filter((path) =>
    findImporters([path], sources).some(
      (importer) => importer !== path && paths.includes(importer),
    ),
  );
}
