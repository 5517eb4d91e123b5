import { Linter } from 'eslint/universal';
import type { TextEdit } from '../typescript/messages.ts';
import type { ConfiguredRules, RuleEntry } from './lint-config.ts';
import { createOffsetLookup, type LinterMessage } from './lint-diagnostics.ts';

const linter = new Linter({ configType: 'flat' });

/** ESLint finds a config by file name; this one matches any. */
const lintFileName = 'file.code';
const everyFile = { files: ['**/*.*'] };

/** Returned for a text with a syntax error, which the compiler reports. */
export const parseFailed = Symbol('broken');

/**
 * Lints a text with ESLint, with the given rules and those that the project configures for the
 * language.
 * @param errorRules Rules whose violations keep code from running. They have severity "error",
 * unless the project sets another.
 */
export function runEslint(
  text: string,
  config: Linter.Config,
  configuredRules: ConfiguredRules,
  errorRules: ReadonlySet<string> = new Set(),
): LinterMessage[] | typeof parseFailed {
  const messages =
    verify(text, config, getUsableRules(config, configuredRules)) ?? verify(text, config, {}) ?? [];
  if (messages.some(({ fatal }) => fatal)) return parseFailed;
  const offset = createOffsetLookup(text);
  return messages.flatMap((message): LinterMessage[] => {
    const { ruleId, line, column, endLine = line, endColumn = column + 1 } = message;
    // Messages without a rule are about ESLint's own comments.
    if (ruleId === null) return [];
    const level = configuredRules.get(ruleId)?.[0];
    const isError = level === undefined ? errorRules.has(ruleId) : level === 'error';
    return [
      {
        rule: ruleId,
        message: message.message,
        from: offset(line, column),
        to: offset(endLine, endColumn),
        severity: isError ? 'error' : 'warning',
        ...(message.fix && { fix: toEdit(message.fix) }),
        suggestions: (message.suggestions ?? []).map(({ desc, fix }) => ({
          label: desc,
          edit: toEdit(fix),
        })),
      },
    ];
  });
}

/** Undefined if a rule of the project throws because of invalid options. */
function verify(
  text: string,
  config: Linter.Config,
  configuredRules: Linter.RulesRecord,
): Linter.LintMessage[] | undefined {
  try {
    const rules = { ...config.rules, ...configuredRules };
    return linter.verify(text, [{ ...config, ...everyFile, rules }], lintFileName);
  } catch (error) {
    // ESLint throws all kinds of errors, including bugs of its own.
    if (Object.keys(configuredRules).length === 0) throw error;
    return undefined;
  }
}

/**
 * The project's rules that are usable for a language, by project config and language. Dropped with
 * the config.
 */
const usableRulesByConfig = new WeakMap<ConfiguredRules, Map<string, Linter.RulesRecord>>();

function getUsableRules(
  config: Linter.Config,
  configuredRules: ConfiguredRules,
): Linter.RulesRecord {
  const byLanguage =
    usableRulesByConfig.get(configuredRules) ?? new Map<string, Linter.RulesRecord>();
  usableRulesByConfig.set(configuredRules, byLanguage);
  const language = config.language ?? 'js';
  const cached = byLanguage.get(language);
  if (cached) return cached;
  const rules = Object.fromEntries(
    [...configuredRules].filter(([name, entry]) => isUsable(config, name, entry)),
  );
  byLanguage.set(language, rules);
  return rules;
}

/** A rule may belong to a plugin that is not available, or reject its options. */
function isUsable(config: Linter.Config, name: string, entry: RuleEntry): boolean {
  return verify('', { ...config, rules: {} }, { [name]: entry }) !== undefined;
}

function toEdit({ range: [from, to], text }: { range: [number, number]; text: string }): TextEdit {
  return { from, to, insert: text };
}
