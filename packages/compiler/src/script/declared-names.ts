const name = String.raw`[\p{ID_Start}$_][\p{ID_Continue}$]*`;
const declared = new RegExp(
  String.raw`\b(?:const|let|var|class|function\s*\*?|enum)\s+(${name})`,
  'gu',
);
/** Lists of declared names: patterns, parameters, imports. */
const lists = [
  /\b(?:const|let|var)\s*[[{]([^=;]*?)[\]}]\s*=/gu,
  /\bimport\s+(?:type\s+)?([^'"();]*?)\s+from\b/gu,
  /\(([^()]*)\)\s*(?::[^=>{]*)?(?:=>|\{)/gu,
  /\bfor\s*\(\s*(?:const|let|var)\s+([^)]*?)\s+(?:of|in)\b/gu,
];
const words = new RegExp(name, 'gu');
const noNames = new Set(['as', 'type', 'default', 'const', 'let', 'var', 'of', 'in', 'this']);

/**
 * Finds names that a script declares or imports anywhere, to suggest them for typos. Works without a
 * parser; extra names do no harm.
 */
export function findDeclaredNames(source: string): Set<string> {
  const names = new Set<string>();
  for (const [, found = ''] of source.matchAll(declared)) names.add(found);
  for (const list of lists)
    for (const [, inner = ''] of source.matchAll(list))
      for (const [found] of inner.matchAll(words)) if (!noNames.has(found)) names.add(found);
  return names;
}
