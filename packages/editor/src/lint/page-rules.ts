import {
  HtmlValidate,
  ruleExists,
  StaticConfigLoader,
  type ConfigData,
  type Message,
  type SourceHooks,
} from 'html-validate/browser';
import type { OwnConfig, OwnRules } from './own-rules.ts';
import type { Said } from './rule-problem.ts';
import { readTemplate, templateHooks, templateRules, vueRules } from './vue-template.ts';

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
  return check(text, own, pages);
}

/** What they, and Vue's guide, say of the markup of a component. */
export function checkTemplate(component: string, own: OwnConfig): Said[] {
  const text = readTemplate(component);
  return text === undefined ? [] : check(text, own, templates);
}

function check(text: string, own: OwnConfig, kind: Kind): Said[] {
  return validate(text, own.rules, kind)
    .filter((each) => !isToldElsewhere(each))
    .map((each) => toSaid(each, own));
}

interface Kind {
  readonly config: ConfigData;
  /** Whether a project may say of a rule how serious it is. */
  readonly has: (rule: string) => boolean;
  readonly hooks: SourceHooks;
  /** Made once for the rules of a project; they go with them. */
  readonly validators: WeakMap<OwnRules, HtmlValidate>;
}

const elements = ['html5'];

const pages: Kind = {
  config: { extends: ['html-validate:standard'], elements, rules: toldElsewhere },
  has: ruleExists,
  hooks: {},
  validators: new WeakMap(),
};

const templates: Kind = {
  config: { plugins: [vueRules], elements, rules: templateRules },
  // Others are about whole documents.
  has: (rule) => Object.hasOwn(templateRules, rule),
  hooks: templateHooks,
  validators: new WeakMap(),
};

const none: OwnRules = new Map();

/** Without the project's rules where one throws, being given options that it cannot use. */
function validate(text: string, own: OwnRules, kind: Kind): Message[] {
  const validator = kind.validators.get(own) ?? makeValidator(kind, own);
  kind.validators.set(own, validator);
  try {
    return listMessages(validator, text, kind.hooks);
  } catch (error) {
    // Rules throw errors of every kind, their own mistakes among them.
    if (own.size === 0) throw error;
    const plain = kind.validators.get(none) ?? makeValidator(kind, none);
    kind.validators.set(none, plain).set(own, plain);
    return listMessages(plain, text, kind.hooks);
  }
}

function listMessages(validator: HtmlValidate, text: string, hooks: SourceHooks): Message[] {
  return validator.validateStringSync(text, hooks).results.flatMap(({ messages }) => messages);
}

function makeValidator({ config, has }: Kind, own: OwnRules): HtmlValidate {
  const known = Object.fromEntries([...own].filter(([name]) => has(name)));
  return new HtmlValidate(
    new StaticConfigLoader({ ...config, rules: { ...config.rules, ...known } } as ConfigData),
  );
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
