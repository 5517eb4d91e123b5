/*
 * Links a built module into a tree of packages, which is the last step before it is served: its
 * placeholders are replaced by URL paths. The text between them isn't parsed.
 */
import { parse } from 'es-module-lexer';
import { parsePackageName } from './lockfile/lockfile.ts';
import type { BuiltEntry } from './build/manifest.ts';
import type { Placeholder } from './build/placeholders.ts';
import { bypassReexport, type BypassingImport } from './groups/bypass-reexports.ts';

/** What the imports of a package resolve to in one lockfile. */
export interface LinkContext {
  /** Base URL of the package, '/npm/NAME@VERSION~HASH'. */
  readonly base: string;
  /** Base URL of Node's built-in modules, '/npm/-/node/7'. */
  readonly builtins: string;
  /** Base URL of a package that this one imports; undefined when it isn't installed. */
  findBase(name: string): string | undefined;
  /** Base URL of a package that this one imports without declaring it in its package.json. */
  findUndeclared(name: string): string | undefined;
  /** Manifest entry of an imported module ('x/sub'), if its package is built. */
  findEntry(specifier: string): BuiltEntry | undefined;
}

/** Replaces the placeholders of a built module. */
export function linkModule(
  text: string,
  placeholders: readonly Placeholder[],
  linkage: LinkContext,
): string {
  let linked = '';
  let prologue = '';
  let last = 0;
  let names: Set<string> | undefined;
  const getExported = () => (names ??= listExports(text));
  for (const placeholder of placeholders) {
    const direct = bypassReexports(text, placeholder, linkage, getExported);
    const { start, end } = direct && placeholder.statement ? placeholder.statement : placeholder;
    // Keeps the number of lines, because the source map refers to lines.
    const lines = direct ? text.slice(start, end).split('\n').length - 1 : 0;
    const replacement = direct?.statement ?? findUrl(placeholder, linkage);
    linked += text.slice(last, start) + replacement + '\n'.repeat(lines);
    prologue += direct?.prologue ?? '';
    last = end;
  }
  return prologue + linked + text.slice(last);
}

function findUrl(placeholder: Placeholder, linkage: LinkContext): string {
  const { specifier } = placeholder;
  if (specifier === undefined) return linkage.base;
  return writeUrl(placeholder, findPackageBase(placeholder, linkage), linkage.findEntry(specifier));
}

/**
 * Import from the file with the code, past the module that only re-exports it. Undefined when that
 * isn't possible.
 */
function bypassReexports(
  text: string,
  placeholder: Placeholder,
  linkage: LinkContext,
  exported: () => Set<string>,
): BypassingImport | undefined {
  const { specifier, statement } = placeholder;
  if (specifier === undefined || statement === undefined) return undefined;
  const base = findPackageBase(placeholder, linkage);
  const entry = linkage.findEntry(specifier);
  if (base === undefined || entry?.handedOn === undefined) return undefined;
  const from = `${base}/-chunk/${entry.handedOn.file}`;
  return bypassReexport(
    text,
    placeholder,
    { ...entry, names: entry.handedOn.names },
    from,
    exported,
  );
}

function listExports(text: string): Set<string> {
  return new Set(
    parse(text)[1].flatMap((item) => (item.type === 'reexport-all' ? [] : [item.name])),
  );
}

function findPackageBase(
  { specifier = '', how }: Placeholder,
  linkage: LinkContext,
): string | undefined {
  if (specifier.startsWith('node:')) return linkage.builtins;
  const name = parsePackageName(specifier) ?? specifier;
  // A `require` may be inside a `try` block that expects it to fail, so it isn't resolved.
  return linkage.findBase(name) ?? (how === 'require' ? undefined : linkage.findUndeclared(name));
}

function writeUrl(
  { specifier = '', how, statement, members = [] }: Placeholder,
  base: string | undefined,
  entry: BuiltEntry | undefined,
): string {
  if (specifier.startsWith('node:')) return `${base}/${specifier.slice(5)}`;
  const name = parsePackageName(specifier) ?? specifier;
  if (base === undefined) {
    return `/npm/-/absent/${encodeURI(name)}${how === 'require' ? '?require' : ''}`;
  }
  const rest = encodeURI(specifier.slice(name.length)).replaceAll(/["'\\]/g, encodeURIComponent);
  const bindings = statement?.takes === 'names' ? statement.bindings : [];
  const taken = bindings.map(([imported]) => imported);
  const names = [...taken, ...members].filter((imported) => imported !== 'default');
  const isSure = names.length === 0 || entry?.hidesNames === false;
  return isSure ? base + rest : `${base}${rest}?names=${formatNames(names)}`;
}

/** ['b', 'a'] → 'a,b', the value of `?names=`. */
function formatNames(names: readonly string[]): string {
  return [...new Set(names)].sort().map(encodeURIComponent).join(',');
}

/**
 * Text of the module at a URL with `?names=`: re-exports the names from the module at the URL
 * without it. Names that an ES module lacks are left out, so that the browser reports the importer.
 */
export function writeNamesModule(entry: BuiltEntry, url: string, names: readonly string[]): string {
  const from = JSON.stringify(url);
  const known = new Set(entry.names);
  const direct = names.filter((name) => known.has(name));
  const lines = [
    `export * from ${from};`,
    ...(direct.length > 0 ? [`export { ${direct.join(', ')} } from ${from};`] : []),
    ...(entry.hasDefault ? [`export { default } from ${from};`] : []),
  ];
  if (entry.commonjs)
    lines.push(
      ...writeHiddenNames(
        from,
        names.filter((name) => !known.has(name)),
      ),
    );
  return `${lines.join('\n')}\n`;
}

function writeHiddenNames(from: string, names: readonly string[]): string[] {
  if (names.length === 0) return [];
  return [
    `import { "module.exports" as whole } from ${from};`,
    'const named = Object(whole);',
    ...names.map((name, index) => `const _${index} = named[${JSON.stringify(name)}];`),
    `export { ${names.map((name, index) => `_${index} as ${name}`).join(', ')} };`,
  ];
}

/**
 * Text of the module that stands for a missing package. An `import` of it throws an error message;
 * a `require` fails where it is called.
 */
export function writeMissingModule(name: string, how: 'import' | 'require'): string {
  if (how === 'require')
    return 'export const absent = true;\nexport { absent as "vitrine: absent" };\n';
  const message = `“${name}” is imported here but isn’t installed. Install it in the project.`;
  return `throw new Error(${JSON.stringify(message)});\n`;
}
