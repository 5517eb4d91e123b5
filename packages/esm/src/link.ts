/**
 * The last step before a built module is served: its placeholders become absolute paths. What stands
 * between them is not looked at.
 */
import type { BuiltEntry } from './build/manifest.ts';
import type { Placeholder } from './build/placeholders.ts';

export interface Linkage {
  /** The package's own address, '/npm/NAME@VERSION~LINK'. */
  readonly base: string;
  /** Where Node's built-ins are served: '/npm/-/node/1'. */
  readonly builtins: string;
  /** The address of a package that this one imports; undefined when it is not installed. */
  findBase(name: string): string | undefined;
  /** Whether a package may have exports that its manifest does not name; undefined: not known. */
  hidesNames(name: string): boolean | undefined;
}

export function linkModule(text: string, placeholders: readonly Placeholder[], linkage: Linkage): string {
  let linked = '';
  let last = 0;
  for (const placeholder of placeholders) {
    linked += text.slice(last, placeholder.start) + addressOf(placeholder, linkage);
    last = placeholder.end;
  }
  return linked + text.slice(last);
}

function addressOf({ specifier, how, names }: Placeholder, linkage: Linkage): string {
  if (specifier === undefined) return linkage.base;
  if (specifier.startsWith('node:')) return `${linkage.builtins}/${specifier.slice(5)}`;
  const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
  const base = linkage.findBase(name);
  if (base === undefined) {
    return `/npm/-/absent/${encodeURI(name)}${how === 'require' ? '?require' : ''}`;
  }
  const address = base + encodeURI(specifier.slice(name.length)).replaceAll(/["'\\]/g, encodeURIComponent);
  return names && linkage.hidesNames(name) !== false ? `${address}?names=${joinNames(names)}` : address;
}

/** ['b', 'a'] → 'a,b', as it stands after `?names=`. */
export function joinNames(names: readonly string[]): string {
  return [...new Set(names)].sort().map(encodeURIComponent).join(',');
}

/**
 * The module at an address with `?names=`: the names asked for, of the one module at the address
 * itself. An ES module's missing names are left out, so that the browser complains of the importer.
 */
export function namesModule(entry: BuiltEntry, address: string, names: readonly string[]): string {
  const from = JSON.stringify(address);
  const known = new Set(entry.names);
  const direct = names.filter((name) => known.has(name));
  const lines = [
    `export * from ${from};`,
    ...(direct.length > 0 ? [`export { ${direct.join(', ')} } from ${from};`] : []),
    ...(entry.hasDefault ? [`export { default } from ${from};`] : []),
  ];
  if (entry.commonjs) lines.push(...hiddenNames(from, names.filter((name) => !known.has(name))));
  return `${lines.join('\n')}\n`;
}

function hiddenNames(from: string, names: readonly string[]): string[] {
  if (names.length === 0) return [];
  return [
    `import { "module.exports" as whole } from ${from};`,
    'const named = Object(whole);',
    ...names.map((name, index) => `const _${index} = named[${JSON.stringify(name)}];`),
    `export { ${names.map((name, index) => `_${index} as ${name}`).join(', ')} };`,
  ];
}

/** Stands for a package that is not installed: an import says so, a `require` fails where it stands. */
export function absentModule(name: string, how: 'import' | 'require'): string {
  if (how === 'require') return 'export const absent = true;\nexport { absent as "vitrine: absent" };\n';
  const sentence = `The package ${name} is needed here and not among the project's packages. Add it.`;
  return `throw new Error(${JSON.stringify(sentence)});\n`;
}
