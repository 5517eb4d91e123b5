import { encodePath, findCssImports, flattenCss } from '@vitrine/compiler';
import { extension } from '@vitrine/project';
import type { Difference, Sources } from './sources.ts';

/** Which means a difference can be delivered by. */
export function isStyleOnly({ changed, removed }: Difference): boolean {
  return removed.length === 0 && changed.every(isStylePath);
}

/** The page that is shown, and perhaps stylesheets. */
export function isDocumentOnly({ changed, removed }: Difference, shownPath: string): boolean {
  return removed.length === 0 && changed.length === 1 && changed[0] === shownPath;
}

/** Files that no page loads by itself: only one that a script has asked for can show. */
export function isQuiet({ changed, removed }: Difference): boolean {
  return [...changed, ...removed].every(
    (path) => !loaded.has(extension(path)) || isStylePath(path),
  );
}

const loaded = new Set(['html', 'htm', 'js', 'mjs', 'ts', 'mts', 'tsx', 'jsx']);

export function isStylePath(path: string): boolean {
  return extension(path) === 'css';
}

/** A stylesheet's text for any document of the project: addresses absolute, imports in place. */
export function styleText(path: string, sources: Sources): string {
  const text = sources.read(path) ?? '';
  if (!/url\(|@import/i.test(text)) return text;
  return flattenCss(
    path,
    (file) => sources.read(file),
    (file) => `/${encodePath(file)}`,
  );
}

/** The stylesheets that import any of these, by way of others too. */
export function findImporters(paths: readonly string[], sources: Sources): string[] {
  const imports = [...sources.paths]
    .filter(isStylePath)
    .map((path) => ({ path, targets: findCssImports(path, sources.read(path) ?? '') }));
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
