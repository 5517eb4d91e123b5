/**
 * Reads `.env` files as Vite does: later files win, and only names with a public prefix get into the
 * page. Previews run in development mode, so `.env.production` is never read.
 */

/** Files with variables, the winning ones last. */
const envFiles: readonly string[] = [
  '.env',
  '.env.local',
  '.env.development',
  '.env.development.local',
];

/** Whether a change of this file may change the variables of a project. */
export function isEnvFile(path: string): boolean {
  return envFiles.includes(path);
}

/** Values of `import.meta.env` and `process.env`, by name. */
export type Environment = Readonly<Record<string, string | boolean>>;

/**
 * Returns the variables of a project.
 * @param read Returns the text of a file of the project; undefined if there is none.
 * @param prefixes Prefixes of the names that pages may read, besides `VITE_`, `REACT_APP_` and
 *   `VUE_APP_`.
 */
export function readEnvironment(
  read: (path: string) => string | undefined,
  prefixes: readonly string[],
): Environment {
  const values = new Map<string, string>();
  for (const path of envFiles)
    for (const [name, value] of parseEnvFile(read(path) ?? '')) values.set(name, value);
  const isPublic = (name: string) =>
    ['VITE_', 'REACT_APP_', 'VUE_APP_', ...prefixes].some((prefix) => name.startsWith(prefix));
  const expander = new ValueExpander(values);
  const variables = [...values.keys()]
    .filter(isPublic)
    .sort()
    .map((name): [string, string] => [name, expander.expand(name)]);
  return {
    ...Object.fromEntries(variables),
    BASE_URL: '/',
    DEV: true,
    MODE: 'development',
    PROD: false,
    SSR: false,
  };
}

/** A name, `=` or `: `, and a quoted value, which may have several lines, or the rest of the line. */
const assignment =
  /^[ \t]*(?:export[ \t]+)?([\w.-]+)(?:[ \t]*=[ \t]*|:[ \t]+)(?:"((?:\\.|[^"\\])*)"|'([^']*)'|`([^`]*)`|([^\n#]*))/gms;

/** Parses one file. `A="x\ny" # comment` → A: x, a line break, y */
export function parseEnvFile(text: string): Map<string, string> {
  const values = new Map<string, string>();
  for (const [, name = '', double, single, backtick, plain = ''] of text
    .replace(/\r\n?/g, '\n')
    .matchAll(assignment))
    values.set(
      name,
      double === undefined ? (single ?? backtick ?? plain.trim()) : unescape(double),
    );
  return values;
}

/** Only line breaks are escaped in double quotes, as dotenv has it. */
function unescape(text: string): string {
  return text.replaceAll(String.raw`\n`, '\n').replaceAll(String.raw`\r`, '\r');
}

/** References in a value: `\$` is a dollar sign, `$NAME`, `${NAME}` and `${NAME:-default}` a variable. */
const reference = /\\\$|\$\{([\w.]+)(?::?-([^}]*))?\}|\$([A-Za-z_]\w*)/g;

/** References in references that are followed. */
const maxDepth = 50;
/** Characters that the references of a project may add to its values, each counted as one more. */
const maxExpanded = 128 * 1024;

/**
 * Expands the references in values. Values that refer to one another can double with each line, so
 * beyond the limits, references are empty. So is one in a variable that refers to itself.
 */
class ValueExpander {
  readonly #values: ReadonlyMap<string, string>;
  /** Characters that may still be added. */
  #left = maxExpanded;

  constructor(values: ReadonlyMap<string, string>) {
    this.#values = values;
  }

  /** @param expanding Names of the variables that refer to this one. */
  expand(name: string, expanding: readonly string[] = []): string {
    if (this.#left <= 0 || expanding.length > maxDepth || expanding.includes(name)) return '';
    return (this.#values.get(name) ?? '').replace(
      reference,
      (
        whole,
        braced: string | undefined,
        fallback: string | undefined,
        plain: string | undefined,
      ) => {
        if (whole === String.raw`\$`) return '$';
        this.#left -= 1;
        const referred = this.expand(braced ?? plain ?? '', [...expanding, name]);
        const text = referred === '' ? (fallback ?? '') : referred;
        this.#left -= text.length;
        return this.#left < 0 ? '' : text;
      },
    );
  }
}
