/** Reads the parts of tsconfig.json or jsconfig.json that the compiler uses. */
import { isRecord } from '@vitrine/project';
import { resolvePath } from './resolve-path.ts';

/** Whether a file may be a configuration of TypeScript: "tsconfig.app.json", "jsconfig.json" */
export function isTypeScriptConfig(path: string): boolean {
  return /(?:^|\/)[jt]sconfig[^/]*\.json$/.test(path);
}

export interface TypeScriptConfig {
  /** `compilerOptions`, with those of the files that it extends and refers to. */
  options: Readonly<Record<string, unknown>>;
  /** Folder of the file that `paths` is in, as a path of a file in it. */
  pathsFile: string;
  /** Folder of the file that `baseUrl` is in, as a path of a file in it. */
  baseUrlFile: string;
}

/** Files that `extends` leads to at most. */
const maxExtended = 10;

/**
 * Reads the configuration at the root. Projects of create-vite have one that only refers to others
 * (`references`); the first of them is the page's.
 */
export function readTypeScriptConfig(read: (path: string) => string | undefined): TypeScriptConfig {
  const root = ['tsconfig.json', 'jsconfig.json'].find((path) => read(path) !== undefined);
  const config: TypeScriptConfig = { options: {}, pathsFile: '', baseUrlFile: '' };
  if (root === undefined) return config;
  const referred = getList(parseJsonWithComments(read(root) ?? ''), 'references')
    .flatMap((each) => getText(each, 'path') ?? [])
    .map((path) => resolvePath(root, path)?.replace(/\/$/, ''))
    .flatMap((path) => (path === undefined ? [] : [path, `${path}/tsconfig.json`]))
    .find((path) => read(path) !== undefined);
  // The options of the file itself win over those of files it refers to.
  for (const path of [...(referred === undefined ? [] : [referred]), root])
    for (const each of listExtended(path, read).toReversed()) {
      const own = getRecord(parseJsonWithComments(read(each) ?? ''), 'compilerOptions');
      if (own['paths'] !== undefined) config.pathsFile = each;
      if (own['baseUrl'] !== undefined) config.baseUrlFile = each;
      config.options = { ...config.options, ...own };
    }
  return config;
}

/** The file and those that it extends, which are files of the project; others are skipped. */
function listExtended(path: string, read: (path: string) => string | undefined): string[] {
  const found = [path];
  for (const each of found) {
    const json = parseJsonWithComments(read(each) ?? '');
    const written = isRecord(json) ? json['extends'] : undefined;
    for (const name of (Array.isArray(written) ? written : [written]).toReversed()) {
      const target = typeof name === 'string' ? resolvePath(each, name) : undefined;
      const file = [target, `${target}.json`].find(
        (candidate) => candidate !== undefined && read(candidate) !== undefined,
      );
      if (file !== undefined && !found.includes(file) && found.length < maxExtended)
        found.push(file);
    }
  }
  return found;
}

/** Strings and comments. Unclosed ones extend to the end, so that no text is scanned twice. */
const comment = /"(?:\\[\s\S]?|[^"\\])*(?:"|$)|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g;
const trailingComma = /"(?:\\[\s\S]?|[^"\\])*(?:"|$)|,(?=\s*[}\]])/g;

/** Parses JSON with comments and trailing commas, as in tsconfig.json. Undefined if invalid. */
export function parseJsonWithComments(text: string): unknown {
  const keepStrings = (found: string) => (found.startsWith('"') ? found : '');
  try {
    return JSON.parse(text.replace(comment, keepStrings).replace(trailingComma, keepStrings));
  } catch (error) {
    // The file is missing or incomplete.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

export function getRecord(value: unknown, key: string): Record<string, unknown> {
  const found = isRecord(value) ? value[key] : undefined;
  return isRecord(found) ? found : {};
}

export function getText(value: unknown, key: string): string | undefined {
  const found = isRecord(value) ? value[key] : undefined;
  return typeof found === 'string' && found !== '' ? found : undefined;
}

function getList(value: unknown, key: string): unknown[] {
  const found = isRecord(value) ? value[key] : undefined;
  return Array.isArray(found) ? found : [];
}
