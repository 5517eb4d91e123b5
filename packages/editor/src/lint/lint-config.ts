/**
 * Reads a project's lint config from files that are data. `eslint.config.js` is code and is not
 * run.
 */
import { isRecord } from '@vitrine/project';
import { evaluate, parse } from '@humanwhocodes/momoa';

type RuleLevel = 'off' | 'warn' | 'error';
/** A rule's severity and options, as in an ESLint config. */
export type RuleEntry = [RuleLevel, ...unknown[]];
/** Configured rules by name. */
export type ConfiguredRules = ReadonlyMap<string, RuleEntry>;

/** The part of a project's lint config that is applied. */
export interface LintConfig {
  readonly rules: ConfiguredRules;
  /** Names of additional globals. */
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

const emptyConfig: LintConfig = { rules: new Map(), globals: [] };

/** Config for scripts, stylesheets and JSON, from `.eslintrc.json`, `.eslintrc` or package.json. */
export function readEslintConfig(files: ReadonlyMap<string, string>): LintConfig {
  const text = files.get('.eslintrc.json') ?? files.get('.eslintrc');
  if (text !== undefined) return parseConfig(parseData(text));
  const manifest = parseData(files.get('package.json') ?? '{}');
  return parseConfig(isRecord(manifest) ? manifest.eslintConfig : undefined);
}

/** Config for HTML pages, from `.htmlvalidate.json`. */
export function readHtmlValidateConfig(files: ReadonlyMap<string, string>): LintConfig {
  return parseConfig(parseData(files.get('.htmlvalidate.json') ?? '{}'));
}

function parseConfig(value: unknown): LintConfig {
  if (!isRecord(value)) return emptyConfig;
  const { rules, globals } = value;
  return {
    rules: new Map(isRecord(rules) ? Object.entries(rules).flatMap(parseRule) : []),
    globals: isRecord(globals)
      ? Object.keys(globals).filter((name) => globals[name] !== 'off')
      : [],
  };
}

function parseRule([name, value]: [string, unknown]): [string, RuleEntry][] {
  const [level, ...options]: unknown[] = Array.isArray(value) ? value : [value];
  const ruleLevel = levels[String(level)];
  return ruleLevel ? [[name, [ruleLevel, ...options]]] : [];
}

/** Parses JSON with comments. Undefined if it is invalid, which the JSON linter reports. */
function parseData(text: string): unknown {
  try {
    return evaluate(parse(text, { mode: 'jsonc', allowTrailingCommas: true }));
  } catch {
    // Momoa throws several kinds of errors, all of them for invalid text.
    return undefined;
  }
}
