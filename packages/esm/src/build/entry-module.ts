/** Writes the module at a package's URL, which re-exports the file that the URL resolves to. */
import type { ModuleReader } from './module-format.ts';
import type { PackageFiles } from './package-files.ts';

/** Module at a URL of the package, and what it exports. */
export interface EntryModule {
  readonly text: string;
  /**
   * Exported names, except for those of `export *` from other packages; of JSON only the default.
   */
  readonly exports: readonly string[];
  readonly commonjs: boolean;
  /**
   * Other packages whose names are all re-exported. The statements are added to the finished
   * module, because esbuild loses an external `export *` when it splits chunks.
   */
  readonly starExports: readonly string[];
  /** CommonJS that may export names which can't be read from its text. */
  readonly hidesNames: boolean;
}

/** Writes the entry module of a file, whose format determines how it is exported. */
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
  return { text, exports: ['default'], commonjs: false, starExports: [], hidesNames: false };
}

/**
 * Entry module of an ES module. An old package (without `exports`) that has no default export gets
 * its namespace as one, because code written for its CommonJS form imports it that way.
 */
function writeModule(files: PackageFiles, reader: ModuleReader, path: string): EntryModule {
  const { names, starExports } = reader.readExports(path);
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
    starExports: [...starExports],
    hidesNames: false,
  };
}

/**
 * Entry module of CommonJS: exports `module.exports` as the default and as "module.exports", and
 * its known properties by name.
 */
function writeCommonjs(reader: ModuleReader, path: string): EntryModule {
  const { names, starExports, hidesNames } = reader.readExports(path);
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
    starExports: [...starExports],
    hidesNames,
  };
}

function exportName(name: string): string {
  return /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name) ? name : quote(name);
}

function quote(text: string): string {
  return JSON.stringify(text);
}
