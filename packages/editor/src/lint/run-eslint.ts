import { Linter } from 'eslint/universal';
import type { TextEdit } from '../typescript/messages.ts';
import type { OwnRules, RuleEntry } from './own-rules.ts';
import { offsetIn, type Said } from './rule-problem.ts';

const linter = new Linter({ configType: 'flat' });

/** ESLint wants a name, to find a config by; ours is found by any. */
const fileName = 'file.code';
const everyFile = { files: ['**/*.*'] };

/** The broken grammar of a text, which the compiler tells. */
export const broken = Symbol('broken');

/**
 * What ESLint says of a text, by rules that are ours and those of the project that the language has.
 * `serious` are rules whose offence keeps code from running; the project may say so of others.
 */
export function runEslint(
  text: string,
  config: Linter.Config,
  own: OwnRules,
  serious: ReadonlySet<string> = new Set(),
): Said[] | typeof broken {
  const messages = verify(text, config, usableRules(config, own)) ?? verify(text, config, {}) ?? [];
  if (messages.some(({ fatal }) => fatal)) return broken;
  const offset = offsetIn(text);
  return messages.flatMap((message): Said[] => {
    const { ruleId, line, column, endLine = line, endColumn = column + 1 } = message;
    // Without a rule it is about ESLint's own comments.
    if (ruleId === null) return [];
    const level = own.get(ruleId)?.[0];
    const isSerious = level === undefined ? serious.has(ruleId) : level === 'error';
    return [
      {
        rule: ruleId,
        message: message.message,
        from: offset(line, column),
        to: offset(endLine, endColumn),
        severity: isSerious ? 'error' : 'warning',
        ...(message.fix && { fix: toEdit(message.fix) }),
        suggestions: (message.suggestions ?? []).map(({ desc, fix }) => ({
          label: desc,
          edit: toEdit(fix),
        })),
      },
    ];
  });
}

/** Undefined where a rule of the project throws, being given options that it cannot use. */
function verify(
  text: string,
  config: Linter.Config,
  own: Linter.RulesRecord,
): Linter.LintMessage[] | undefined {
  try {
    const rules = { ...config.rules, ...own };
    return linter.verify(text, [{ ...config, ...everyFile, rules }], fileName);
  } catch (error) {
    // ESLint throws errors of every kind, its own mistakes among them.
    if (Object.keys(own).length === 0) throw error;
    return undefined;
  }
}

/** The rules of a project that hold for a language, by the language; they go with the config they were read from. */
const usable = new WeakMap<OwnRules, Map<string, Linter.RulesRecord>>();

function usableRules(config: Linter.Config, own: OwnRules): Linter.RulesRecord {
  const byLanguage = usable.get(own) ?? new Map<string, Linter.RulesRecord>();
  usable.set(own, byLanguage);
  const language = config.language ?? 'js';
  const known = byLanguage.get(language);
  if (known) return known;
  const rules = Object.fromEntries(
    [...own].filter(([name, entry]) => isUsable(config, name, entry)),
  );
  byLanguage.set(language, rules);
  return rules;
}

/** A rule may be of a plug-in that is not here, or see at once that it cannot use its options. */
function isUsable(config: Linter.Config, name: string, entry: RuleEntry): boolean {
  return verify('', { ...config, rules: {} }, { [name]: entry }) !== undefined;
}

function toEdit({ range: [from, to], text }: { range: [number, number]; text: string }): TextEdit {
  return { from, to, insert: text };
}
