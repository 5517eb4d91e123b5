const name = String.raw`[\p{ID_Start}$_][\p{ID_Continue}$]*`;
const declared = new RegExp(
  String.raw`\b(?:const|let|var|class|function\s*\*?|enum)\s+(${name})`,
  'gu',
);
/** Braces and parentheses that declare: patterns, parameters, what an import takes. */
const lists = [
  /\b(?:const|let|var)\s*[[{]([^=;]*?)[\]}]\s*=/gu,
  /\bimport\s+(?:type\s+)?([^'"();]*?)\s+from\b/gu,
  /\(([^()]*)\)\s*(?::[^=>{]*)?(?:=>|\{)/gu,
  /\bfor\s*\(\s*(?:const|let|var)\s+([^)]*?)\s+(?:of|in)\b/gu,
];
const words = new RegExp(name, 'gu');
const noNames = new Set(['as', 'type', 'default', 'const', 'let', 'var', 'of', 'in', 'this']);

/**
 * Names that a script declares or imports anywhere, for guesses at what a mistyped one was meant to
 * be: read without a parser, one too many does no harm.
 */
export function declaredNames(source: string): Set<string> {
  const names = new Set<string>();
  for (const [, found = ''] of source.matchAll(declared)) names.add(found);
  for (const list of lists)
    for (const [, inner = ''] of source.matchAll(list))
      for (const [found] of inner.matchAll(words)) if (!noNames.has(found)) names.add(found);
  return names;
}
