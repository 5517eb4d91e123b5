/** Which packages a project's pages may import, as far as its texts say it. */
import { getExtension, isTestPath, isToolConfig } from '@vitrine/project';

/** Extensions of files that can import packages. */
const importing = new Set(
  'js mjs ts mts tsx jsx vue svelte html htm md css scss sass less pcss postcss'.split(' '),
);

/** Packages that compiled files import without naming them. */
const implicit: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ...['react', 'preact', 'solid-js'].map((name) => [name, new Set(['jsx', 'tsx', 'js'])] as const),
  ['vue', new Set(['vue'])],
  ['svelte', new Set(['svelte'])],
]);

/** Returns those of the packages that a file imports, by their name or a subpath. */
export function findImportedPackages(
  files: ReadonlyMap<string, string>,
  names: Iterable<string>,
): string[] {
  const left = new Set(names);
  const found = new Set<string>();
  for (const [path, text] of files) {
    const extension = getExtension(path);
    if (!importing.has(extension) || isToolConfig(path) || isTestPath(path)) continue;
    for (const name of left)
      if (implicit.get(name)?.has(extension) || isImportedIn(text, name)) {
        left.delete(name);
        found.add(name);
      }
  }
  return [...found];
}

/**
 * Returns the specifiers in quotes with which files import these packages: 'three',
 * 'react-dom/client'.
 */
export function findImportedSpecifiers(
  files: ReadonlyMap<string, string>,
  names: readonly string[],
): string[] {
  const found = new Set<string>();
  for (const [path, text] of files) {
    if (!importing.has(getExtension(path)) || isToolConfig(path) || isTestPath(path)) continue;
    for (const [, specifier = ''] of text.matchAll(/["'`]([\w@][\w@./-]*)["'`]/g))
      if (names.some((name) => specifier === name || specifier.startsWith(`${name}/`)))
        found.add(specifier);
  }
  return [...found];
}

/** Whether a text has a specifier of a package in quotes: 'three', "three/addons/…" */
function isImportedIn(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    // Stylesheets import packages with "~" too, and pages from "node_modules".
    const isStart = /["'`(~/]/.test(text[at - 1] ?? '');
    if (isStart && /["'`)/]/.test(text[at + name.length] ?? '')) return true;
  }
  return false;
}
