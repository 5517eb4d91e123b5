/** The text of the module that stands at a package's address, around the file that it means. */
import type { ModuleReader } from './module-format.ts';
import type { PackageFiles } from './package-files.ts';

export interface EntryModule {
  readonly text: string;
  /** What the text exports, but for names of foreign modules; of JSON the default alone. */
  readonly exports: readonly string[];
  readonly commonjs: boolean;
  /**
   * Foreign modules all of whose names are exported too. Written to the finished module, since
   * esbuild loses a foreign `export *` where it splits.
   */
  readonly stars: readonly string[];
  readonly hidesNames: boolean;
}

export function writeEntryModule(
  files: PackageFiles,
  reader: ModuleReader,
  path: string,
): EntryModule {
  if (/\.(?:json|css|wasm)$/.test(path)) return writePlain(path);
  return reader.isCommonjs(path) ? writeCommonjs(reader, path) : writeModule(files, reader, path);
}

function writePlain(path: string): EntryModule {
  const text = `export * from ${quote(path)};\nexport { default } from ${quote(path)};\n`;
  return { text, exports: ['default'], commonjs: false, stars: [], hidesNames: false };
}

/**
 * An old package (no `exports`) without a default export gets its namespace as one: pages
 * written for its CommonJS form import it so.
 */
function writeModule(files: PackageFiles, reader: ModuleReader, path: string): EntryModule {
  const { names, stars } = reader.readShape(path);
  const from = quote(path);
  const hasDefault = names.has('default') || files.json.exports === undefined;
  const exports = [...names].filter((name) => name !== 'default');
  const lines = [`export * from ${from};`];
  if (names.has('default')) lines.push(`export { default } from ${from};`);
  else if (hasDefault) {
    lines.push(`import * as everything from ${from};`, 'export default everything;');
  }
  return {
    text: `${lines.join('\n')}\n`,
    exports: hasDefault ? [...exports, 'default'] : exports,
    commonjs: false,
    stars: [...stars],
    hidesNames: false,
  };
}

/** `module.exports` becomes the default, its known names named exports, and itself "module.exports". */
function writeCommonjs(reader: ModuleReader, path: string): EntryModule {
  const { names, stars, hidesNames } = reader.readShape(path);
  const named = [...names].filter((name) => name !== 'default' && name !== '__esModule').sort();
  const text = [
    `const whole = require(${quote(path)});`,
    'const named = Object(whole);',
    'export { whole as "module.exports" };',
    'export default named.__esModule && "default" in named ? named.default : whole;',
    ...named.map((name, index) => `const _${index} = named[${quote(name)}];`),
    named.length > 0
      ? `export { ${named.map((name, index) => `_${index} as ${exportName(name)}`).join(', ')} };`
      : '',
  ];
  return {
    text: `${text.join('\n')}\n`,
    exports: [...named, 'default', 'module.exports'],
    commonjs: true,
    stars: [...stars],
    hidesNames,
  };
}

function exportName(name: string): string {
  return /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name) ? name : quote(name);
}

function quote(text: string): string {
  return JSON.stringify(text);
}
