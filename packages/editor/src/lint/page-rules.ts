import {
  HtmlValidate,
  ruleExists,
  StaticConfigLoader,
  type ConfigData,
  type Message,
} from 'html-validate/browser';
import type { OwnConfig, OwnRules, RuleEntry } from './own-rules.ts';
import type { Said } from './rule-problem.ts';

/** Told elsewhere: by the compiler as one types, or by the check for accessibility, which sees the page. */
const toldElsewhere = {
  'close-order': 'off',
  'no-dup-attr': 'off',
  'area-alt': 'off',
  'aria-label-misuse': 'off',
  'multiple-labeled-controls': 'off',
  'no-abstract-role': 'off',
  'no-multiple-main': 'off',
  'valid-autocomplete': 'off',
} as const;
const attributesToldElsewhere: ReadonlySet<string> = new Set(['alt', 'lang', 'title']);

/** What html-validate's standard rules, those of the HTML standard without style, say of a page. */
export function checkMarkup(text: string, own: OwnConfig): Said[] {
  return validate(text, own.rules)
    .filter((each) => !isToldElsewhere(each))
    .map((each) => toSaid(each, own));
}

/** Made once for a config; they go with it. */
const validators = new WeakMap<OwnRules, HtmlValidate>();
const plain = makeValidator([]);

/** Without the project's rules where one throws, being given options that it cannot use. */
function validate(text: string, own: OwnRules): Message[] {
  const known = validators.get(own) ?? makeValidator([...own]);
  validators.set(own, known);
  try {
    return listMessages(known, text);
  } catch (error) {
    // Rules throw errors of every kind, their own mistakes among them.
    if (own.size === 0) throw error;
    validators.set(own, plain);
    return listMessages(plain, text);
  }
}

function listMessages(validator: HtmlValidate, text: string): Message[] {
  return validator.validateStringSync(text).results.flatMap(({ messages }) => messages);
}

function makeValidator(own: readonly (readonly [string, RuleEntry])[]): HtmlValidate {
  const known = Object.fromEntries(own.filter(([name]) => ruleExists(name)));
  const rules = { ...toldElsewhere, ...known };
  const config = { extends: ['html-validate:standard'], elements: ['html5'], rules } as ConfigData;
  return new HtmlValidate(new StaticConfigLoader(config));
}

function isToldElsewhere({ ruleId, context }: Message): boolean {
  if (ruleId === 'parser-error') return true;
  const attribute: unknown = ruleId === 'element-required-attributes' && Object(context).attr;
  return typeof attribute === 'string' && attributesToldElsewhere.has(attribute);
}

function toSaid({ ruleId, message, offset, size }: Message, own: OwnConfig): Said {
  return {
    rule: ruleId,
    message,
    from: offset,
    to: offset + size,
    severity: own.rules.get(ruleId)?.[0] === 'error' ? 'error' : 'warning',
  };
}
