/*
 * Removes unused star exports. For each `export *` from another package, esbuild copies the exports
 * into an object, in case a module of the package looks one up there:
 *
 *   import * as a_star from "vitrine-package:a";
 *   __reExport(all_exports, a_star);
 *
 * When no module does, the second line is removed, and `a_star` is an unused import.
 */
const reExport = /^[ \t]*__reExport\(([\w$]+), ([\w$]+)\);$/gm;

/** Removes these lines and keeps the number of lines. */
export function removeUnusedStarExports(text: string): string {
  const lines = [...text.matchAll(reExport)].map(([, target = '', source = '']) => ({
    target,
    source,
  }));
  if (lines.length === 0) return text;
  const unused = new Set(lines.map(({ target }) => target));
  const isUsed = (name: string) => {
    const fills = lines.filter(({ target }) => target === name).length;
    const reexported = lines.filter(
      ({ target, source }) => source === name && unused.has(target),
    ).length;
    return countUses(text, name) > fills + reexported + countDeclarations(text, name);
  };
  for (let used = [...unused].filter(isUsed); used.length > 0; used = [...unused].filter(isUsed)) {
    for (const name of used) unused.delete(name);
  }
  return text.replaceAll(reExport, (line, target: string) => (unused.has(target) ? '' : line));
}

/** Counts the declarations `var all_exports = {};` and `__export(all_exports, {`. */
function countDeclarations(text: string, name: string): number {
  const escaped = escape(name);
  const declared = new RegExp(
    String.raw`^[ \t]*(?:var ${escaped} = \{\};$|__export\(${escaped}, \{)`,
    'gm',
  );
  return [...text.matchAll(declared)].length;
}

/** Counts how often an identifier occurs in a text, except as a property (`x.name`). */
export function countUses(text: string, name: string): number {
  const use = new RegExp(String.raw`(?<![\w$]|(?<!\.\.)\.)${escape(name)}(?![\w$])`, 'g');
  return [...text.matchAll(use)].length;
}

function escape(name: string): string {
  return name.replaceAll('$', String.raw`\$`);
}
