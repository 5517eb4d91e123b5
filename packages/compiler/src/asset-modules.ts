/**
 * Modules that stand for files of other kinds where a script imports them: `import './a.css'` puts
 * the stylesheet into the page, `import data, { name } from './a.json'` gives its contents. They are
 * answered at the file's address with `?module`.
 */
import { extension } from '@vitrine/project';
import { isStylePath } from './file-kinds.ts';
import { encodePath } from './resolve-path.ts';
import { positionAt } from './instrument-html.ts';
import { findJsonMistake } from './json-mistake.ts';

export const moduleQuery = '?module';

/** Whether a script that imports this file gets a module made for it. */
export function hasAssetModule(path: string): boolean {
  return isStylePath(path) || extension(path) === 'json';
}

/** The module for a file; `address` is where the file itself is found. Undefined for other kinds. */
export function assetModule(
  path: string,
  text: string,
  address = `/${encodePath(path)}`,
): string | undefined {
  if (isStylePath(path)) return styleModule(address);
  return extension(path) === 'json' ? jsonModule(path, text) : undefined;
}

/**
 * A link like one that the page wrote itself, so that edits are swapped in as they are for those.
 * Whoever imports it waits for the sheet, and for nothing where there is no page (in a worker).
 */
export function styleModule(address: string): string {
  return `if (typeof document !== 'undefined') {
  const link = document.createElement('link');
  link.rel = 'stylesheet';
  link.href = ${JSON.stringify(address)};
  await new Promise((resolve) => {
    link.onload = link.onerror = resolve;
    document.head.append(link);
  });
}
`;
}

/** `{"a": 1, "b-c": 2}` → a default export of it all and a named one of `a`. */
function jsonModule(path: string, text: string): string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return failingModule(path, error.message, text);
    throw error;
  }
  const names = Object.keys(typeof value === 'object' && value !== null ? value : {}).filter(
    (name) => !Array.isArray(value) && canBeExported(name),
  );
  const exported = names.length > 0 ? `export const { ${names.join(', ')} } = json;\n` : '';
  // Parsed as a text, `__proto__` is a name like others; and JSON.parse is faster than a literal.
  return `const json = JSON.parse(${JSON.stringify(text)});\nexport default json;\n${exported}`;
}

/** It throws at the line and column of the mistake, which is where the browser then says it was. */
function failingModule(path: string, message: string, text: string): string {
  const { line, column } = positionAt(text, findJsonMistake(text));
  const sentence = `${path} is not JSON: ${message}`;
  return `${'\n'.repeat(line - 1)}${' '.repeat(column - 1)}throw new SyntaxError(${JSON.stringify(sentence)});\n`;
}

const reserved = new Set(
  `arguments await break case catch class const continue debugger default delete do else enum eval
  export extends false finally for function if implements import in instanceof interface json let
  new null package private protected public return static super switch this throw true try typeof
  var void while with yield`.split(/\s+/),
);

function canBeExported(name: string): boolean {
  return /^[A-Za-z_$][\w$]*$/.test(name) && !reserved.has(name) && name !== '__proto__';
}
