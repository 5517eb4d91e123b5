/**
 * The last step before a built module is served: its placeholders become absolute paths. What stands
 * between them is not looked at.
 */
import { packageNameOf } from '@vitrine/project';
import { parse } from 'es-module-lexer';
import type { BuiltEntry } from './build/manifest.ts';
import type { Placeholder } from './build/placeholders.ts';
import { leadImport, type LedImport } from './led-imports.ts';

export interface Linkage {
  /** The package's own address, '/npm/NAME@VERSION~LINK'. */
  readonly base: string;
  /** Where Node's built-ins are served: '/npm/-/node/1'. */
  readonly builtins: string;
  /** The address of a package that this one imports; undefined when it is not installed. */
  findBase(name: string): string | undefined;
  /** The address of a package that this one imports and does not name in its package.json. */
  findUndeclared(name: string): string | undefined;
  /** What is known of a foreign module ('x/sub') from its package's manifest, if that is built. */
  findEntry(specifier: string): BuiltEntry | undefined;
}

export function linkModule(
  text: string,
  placeholders: readonly Placeholder[],
  linkage: Linkage,
): string {
  let linked = '';
  let head = '';
  let last = 0;
  let names: Set<string> | undefined;
  const exported = () => (names ??= listExports(text));
  for (const placeholder of placeholders) {
    const direct = leadToCode(text, placeholder, linkage, exported);
    const { start, end } = direct && placeholder.statement ? placeholder.statement : placeholder;
    // As many lines as before: the source map goes by lines.
    const lines = direct ? text.slice(start, end).split('\n').length - 1 : 0;
    const replacement = direct?.statement ?? address(placeholder, linkage);
    linked += text.slice(last, start) + replacement + '\n'.repeat(lines);
    head += direct?.head ?? '';
    last = end;
  }
  return head + linked + text.slice(last);
}

function address(placeholder: Placeholder, linkage: Linkage): string {
  const { specifier } = placeholder;
  if (specifier === undefined) return linkage.base;
  return addressOf(placeholder, baseOf(placeholder, linkage), linkage.findEntry(specifier));
}

/** An import taken from the file that holds the code, past the module that only hands it on. */
function leadToCode(
  text: string,
  placeholder: Placeholder,
  linkage: Linkage,
  exported: () => Set<string>,
): LedImport | undefined {
  const { specifier, statement } = placeholder;
  if (specifier === undefined || statement === undefined) return undefined;
  const base = baseOf(placeholder, linkage);
  const entry = linkage.findEntry(specifier);
  if (base === undefined || entry?.handedOn === undefined) return undefined;
  const from = `${base}/-chunk/${entry.handedOn.file}`;
  return leadImport(text, placeholder, { ...entry, names: entry.handedOn.names }, from, exported);
}

function listExports(text: string): Set<string> {
  return new Set(
    parse(text)[1].flatMap((item) => (item.type === 'reexport-all' ? [] : [item.name])),
  );
}

function baseOf({ specifier = '', how }: Placeholder, linkage: Linkage): string | undefined {
  if (specifier.startsWith('node:')) return linkage.builtins;
  const name = packageNameOf(specifier) ?? specifier;
  // A `require` may stand in a `try`, where it is to fail.
  return linkage.findBase(name) ?? (how === 'require' ? undefined : linkage.findUndeclared(name));
}

function addressOf(
  { specifier = '', how, statement, members = [] }: Placeholder,
  base: string | undefined,
  entry: BuiltEntry | undefined,
): string {
  if (specifier.startsWith('node:')) return `${base}/${specifier.slice(5)}`;
  const name = packageNameOf(specifier) ?? specifier;
  if (base === undefined) {
    return `/npm/-/absent/${encodeURI(name)}${how === 'require' ? '?require' : ''}`;
  }
  const rest = encodeURI(specifier.slice(name.length)).replaceAll(/["'\\]/g, encodeURIComponent);
  const bindings = statement?.takes === 'names' ? statement.bindings : [];
  const taken = bindings.map(([there]) => there);
  const names = [...taken, ...members].filter((there) => there !== 'default');
  const isSure = names.length === 0 || entry?.hidesNames === false;
  return isSure ? base + rest : `${base}${rest}?names=${joinNames(names)}`;
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
  if (entry.commonjs)
    lines.push(
      ...hiddenNames(
        from,
        names.filter((name) => !known.has(name)),
      ),
    );
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
  if (how === 'require')
    return 'export const absent = true;\nexport { absent as "vitrine: absent" };\n';
  const sentence = `The package ${name} is needed here and not among the project's packages. Add it.`;
  return `throw new Error(${JSON.stringify(sentence)});\n`;
}
