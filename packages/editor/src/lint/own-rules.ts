/** What a project says of rules in files that are data. `eslint.config.js` is code, and is not run. */
import { evaluate, parse } from '@humanwhocodes/momoa';

type RuleLevel = 'off' | 'warn' | 'error';
export type RuleEntry = [RuleLevel, ...unknown[]];
export type OwnRules = ReadonlyMap<string, RuleEntry>;

export interface OwnConfig {
  readonly rules: OwnRules;
  /** Names that its scripts find there. */
  readonly globals: readonly string[];
}

const levels: Readonly<Record<string, RuleLevel>> = {
  '0': 'off',
  off: 'off',
  '1': 'warn',
  warn: 'warn',
  '2': 'error',
  error: 'error',
};

const nothing: OwnConfig = { rules: new Map(), globals: [] };

/** The rules of scripts, stylesheets and JSON: `.eslintrc.json`, `.eslintrc`, else the manifest's. */
export function readScriptRules(files: ReadonlyMap<string, string>): OwnConfig {
  const text = files.get('.eslintrc.json') ?? files.get('.eslintrc');
  if (text !== undefined) return readConfig(parseData(text));
  const manifest = parseData(files.get('package.json') ?? '{}');
  return readConfig(isRecord(manifest) ? manifest.eslintConfig : undefined);
}

/** The rules of pages: `.htmlvalidate.json`. */
export function readPageRules(files: ReadonlyMap<string, string>): OwnConfig {
  return readConfig(parseData(files.get('.htmlvalidate.json') ?? '{}'));
}

function readConfig(value: unknown): OwnConfig {
  if (!isRecord(value)) return nothing;
  const { rules, globals } = value;
  return {
    rules: new Map(isRecord(rules) ? Object.entries(rules).flatMap(readRule) : []),
    globals: isRecord(globals)
      ? Object.keys(globals).filter((name) => globals[name] !== 'off')
      : [],
  };
}

function readRule([name, value]: [string, unknown]): [string, RuleEntry][] {
  const [level, ...options]: unknown[] = Array.isArray(value) ? value : [value];
  const known = levels[String(level)];
  return known ? [[name, [known, ...options]]] : [];
}

/** JSON with comments; undefined for what is not, which is told elsewhere. */
function parseData(text: string): unknown {
  try {
    return evaluate(parse(text, { mode: 'jsonc', allowTrailingCommas: true }));
  } catch {
    // Momoa throws errors of several kinds, all of them about the text.
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
