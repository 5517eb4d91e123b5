/**
 * For each foreign `export *` esbuild fills an object with what it hands on, for those in the package
 * who may look something up there:
 *
 *   import * as a_star from "vitrine-package:a";
 *   __reExport(all_exports, a_star);
 *
 * Mostly nobody does. Then the line goes, and `a_star` is imported for nothing.
 */
const reExport = /^[ \t]*__reExport\(([\w$]+), ([\w$]+)\);$/gm;

/** A script without these lines, and with as many as before. */
export function withoutIdleStars(text: string): string {
  const lines = [...text.matchAll(reExport)].map(([, target = '', source = '']) => ({
    target,
    source,
  }));
  if (lines.length === 0) return text;
  const idle = new Set(lines.map(({ target }) => target));
  const isUsed = (name: string) => {
    const fills = lines.filter(({ target }) => target === name).length;
    const handed = lines.filter(({ target, source }) => source === name && idle.has(target)).length;
    return countUses(text, name) > fills + handed + countDeclarations(text, name);
  };
  for (let used = [...idle].filter(isUsed); used.length > 0; used = [...idle].filter(isUsed)) {
    for (const name of used) idle.delete(name);
  }
  return text.replaceAll(reExport, (line, target: string) => (idle.has(target) ? '' : line));
}

/** `var all_exports = {};` and `__export(all_exports, {`. */
function countDeclarations(text: string, name: string): number {
  const own = escape(name);
  const declared = new RegExp(
    String.raw`^[ \t]*(?:var ${own} = \{\};$|__export\(${own}, \{)`,
    'gm',
  );
  return [...text.matchAll(declared)].length;
}

/** How often an identifier stands in a text, not counting `x.name`. */
export function countUses(text: string, name: string): number {
  const use = new RegExp(String.raw`(?<![\w$]|(?<!\.\.)\.)${escape(name)}(?![\w$])`, 'g');
  return [...text.matchAll(use)].length;
}

function escape(name: string): string {
  return name.replaceAll('$', String.raw`\$`);
}
