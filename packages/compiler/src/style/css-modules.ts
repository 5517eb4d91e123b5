// oxlint-disable-next-line typescript/triple-slash-reference -- it has nothing to be imported
/// <reference path="./untyped.d.ts" />
/**
 * Compiles CSS modules. Class names get a suffix that depends on the file's path only, so that they
 * are stable. `composes` and `@value` may refer to other files.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { extractICSS, replaceSymbols, replaceValueSymbols } from 'icss-utils';
import postcss, { CssSyntaxError, type Root } from 'postcss';
import extractImports from 'postcss-modules-extract-imports';
import localByDefault from 'postcss-modules-local-by-default';
import scope from 'postcss-modules-scope';
import values from 'postcss-modules-values';
import { createNamedExports } from '../script/named-exports.ts';
import type { MappedCode } from '../component/mapped-code.ts';
import { encodePath, resolvePath } from '../resolve-path.ts';
import { createStyleError, formatStyleMessage, StyleError } from './style-error.ts';
import type { SourceMapMappings } from '@jridgewell/sourcemap-codec';

interface CssModule {
  css: MappedCode;
  /** Scoped names, including composed ones, by local name: "button" → "button_x1y2z base_a3b4c". */
  names: Readonly<Record<string, string>>;
  /** Paths of other files whose names are used, in order of use. */
  composed: readonly string[];
}

/** Returns the plain CSS of a file; undefined if it doesn't exist. */
type ReadCss = (path: string) => Promise<string | undefined>;

/** Compiles a CSS module. Throws `StyleError`. `importers` are the files that use this one, also indirectly. */
export async function compileCssModule(
  path: string,
  css: string,
  readCss: ReadCss,
  importers: readonly string[] = [],
): Promise<CssModule> {
  const root = scopeNames(path, css);
  const { icssImports, icssExports } = extractICSS(root);
  const replacements: Record<string, string> = {};
  const composed: string[] = [];
  for (const [url, imported] of Object.entries(icssImports)) {
    const target = resolvePath(path, url);
    const text = target === undefined ? undefined : await readCss(target);
    if (target === undefined || text === undefined)
      throw createStyleError(
        `Can’t find stylesheet “${url}” in this project.`,
        path,
        css,
        css.indexOf(url),
      );
    if (target === path || importers.includes(target))
      throw createStyleError(
        `Circular “composes”: “${url}” also composes from this file.`,
        path,
        css,
        css.indexOf(url),
      );
    const other = await compileCssModule(target, text, readCss, [...importers, path]);
    composed.push(target);
    for (const [own, importedName] of Object.entries(imported)) {
      const name = other.names[importedName];
      if (name === undefined)
        throw createStyleError(
          `“${importedName}” isn’t defined in “${url}”.`,
          path,
          css,
          css.indexOf(importedName),
        );
      replacements[own] = name;
    }
  }
  replaceSymbols(root, replacements);
  const names = Object.fromEntries(
    Object.entries(icssExports).map(([name, value]) => [
      name,
      replaceValueSymbols(value, replacements),
    ]),
  );
  return { css: stringifyWithMappings(root), names, composed };
}

function scopeNames(path: string, css: string): Root {
  const hash = hashPath(path);
  const plugins = [
    values(),
    localByDefault(),
    extractImports(),
    scope({ generateScopedName: (name) => `${name}_${hash}` }),
  ];
  try {
    // Without source maps: PostCSS would look for the stylesheet's map on disk.
    const { root } = postcss(plugins).process(css, { from: path, map: false });
    if (root.type !== 'root') throw new Error(`${path} isn’t a stylesheet for PostCSS`);
    return root;
  } catch (error) {
    throw describe(error, path);
  }
}

/** Returns a hash of five characters of a path. */
function hashPath(path: string): string {
  const bytes = sha256(utf8ToBytes(path));
  const number = bytes.slice(0, 4).reduce((sum, byte) => sum * 256 + byte, 0);
  return number.toString(36).padStart(5, '0').slice(-5);
}

function describe(error: unknown, path: string): unknown {
  if (error instanceof CssSyntaxError) {
    const { reason, line = 1, column = 1 } = error;
    return new StyleError({ message: formatStyleMessage(reason), path, line, column });
  }
  if (!(error instanceof Error)) return error;
  return new StyleError({ message: formatStyleMessage(error.message), path, line: 1, column: 1 });
}

/** Creates the module's code after the link: imports of used stylesheets, and exports of the names. */
export function createCssModuleCode({ names, composed }: CssModule): string {
  const imports = composed.map(
    (path) => `import ${JSON.stringify(`/${encodePath(path)}?module`)};\n`,
  );
  return `${imports.join('')}const styles = ${JSON.stringify(names)};
export default styles;
${createNamedExports('styles', Object.keys(names))}`;
}

/** Serializes a PostCSS stylesheet with mappings. PostCSS's own source maps need a file system. */
function stringifyWithMappings(root: Root): MappedCode {
  const mappings: SourceMapMappings = [[]];
  let code = '';
  let column = 0;
  postcss.stringify(root, (part, node, type) => {
    const start = type === 'end' ? undefined : node?.source?.start;
    if (start) mappings.at(-1)?.push([column, 0, start.line - 1, start.column - 1]);
    const lines = part.split('\n');
    for (let count = 1; count < lines.length; count += 1) mappings.push([]);
    column = (lines.length === 1 ? column : 0) + (lines.at(-1) ?? '').length;
    code += part;
  });
  return { code, mappings };
}
