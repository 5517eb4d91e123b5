import {
  encodePath,
  findCssImports,
  flattenCss,
  isScriptPath,
  isStylePath,
} from '@vitrine/compiler';
import { extension } from '@vitrine/project';
import type { Difference, Sources } from './sources.ts';

/** Which means a difference can be delivered by. */
export function isStyleOnly({ changed, removed, remade }: Difference): boolean {
  return removed.length === 0 && remade.length === 0 && changed.every(isStylePath);
}

/** The page that is shown, and perhaps stylesheets; whether it has scripts is not looked at. */
export function isDocumentOnly({ changed, removed }: Difference, page: string): boolean {
  return removed.length === 0 && changed.every((path) => path === page || isStylePath(path));
}

/** Files that no page loads by itself: only one that a script has asked for can show. */
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

/** Stylesheets with their texts for any document of the project. */
export function styleTexts(
  paths: readonly string[],
  sources: Sources,
): [path: string, text: string][] {
  return paths.map((path) => [path, styleText(path, sources)]);
}

/** Addresses absolute, imports in place. */
function styleText(path: string, sources: Sources): string {
  const text = sources.readRunning(path) ?? '';
  if (!/url\(|@import/i.test(text)) return text;
  return flattenCss(
    path,
    (file) => sources.readRunning(file),
    (file) => `/${encodePath(file)}`,
  );
}

/** The stylesheets that import any of these, or were made with them, by way of others too. */
export function findImporters(paths: readonly string[], sources: Sources): string[] {
  if (paths.length === 0) return [];
  const imports = [...sources.paths]
    .filter(isStylePath)
    .map((path) => ({ path, targets: [...importsOf(path, sources), ...sources.readsOf(path)] }));
  const found = new Set<string>();
  for (let wanted = new Set(paths); wanted.size > 0;) {
    const next = imports.filter(
      ({ path, targets }) => !found.has(path) && targets.some((target) => wanted.has(target)),
    );
    wanted = new Set(next.map(({ path }) => path));
    for (const path of wanted) found.add(path);
  }
  return [...found];
}

/** Most import nothing, and are not read closely for that. */
function importsOf(path: string, sources: Sources): string[] {
  const text = sources.readRunning(path) ?? '';
  return /@import/i.test(text) ? findCssImports(path, text) : [];
}

/** Those of some stylesheets that others of them hold: they need not be in the page themselves. */
export function findParts(paths: readonly string[], sources: Sources): string[] {
  if (paths.length < 2) return [];
  return paths.filter((path) =>
    findImporters([path], sources).some(
      (importer) => importer !== path && paths.includes(importer),
    ),
  );
}
