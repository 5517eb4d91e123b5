import {
  HtmlValidate,
  ruleExists,
  StaticConfigLoader,
  type ConfigData,
  type Message,
  type SourceHooks,
} from 'html-validate/browser';
import type { LintConfig, ConfiguredRules } from './lint-config.ts';
import type { LinterMessage } from './lint-diagnostics.ts';
import { readTemplate, templateHooks, templateRules, vueRules } from './vue-template.ts';

/** Rules turned off because the compiler or the accessibility check reports the same. */
const reportedElsewhere = {
  'close-order': 'off',
  'no-dup-attr': 'off',
  'area-alt': 'off',
  'aria-label-misuse': 'off',
  'multiple-labeled-controls': 'off',
  'no-abstract-role': 'off',
  'no-multiple-main': 'off',
  'valid-autocomplete': 'off',
} as const;
const attributesReportedElsewhere: ReadonlySet<string> = new Set(['alt', 'lang', 'title']);

/**
 * Lints an HTML page with html-validate's standard rules, which follow the HTML standard and leave
 * out style.
 */
export function lintHtml(text: string, lintConfig: LintConfig): LinterMessage[] {
  return lint(text, lintConfig, pageTarget);
}

/** Lints the template of a Vue component with the same rules and those of Vue's style guide. */
export function lintVueTemplate(component: string, lintConfig: LintConfig): LinterMessage[] {
  const text = readTemplate(component);
  return text === undefined ? [] : lint(text, lintConfig, templateTarget);
}

function lint(text: string, lintConfig: LintConfig, target: Target): LinterMessage[] {
  return validate(text, lintConfig.rules, target)
    .filter((each) => !isReportedElsewhere(each))
    .map((each) => toLintMessage(each, lintConfig));
}

interface Target {
  readonly config: ConfigData;
  /** True for rules whose severity a project may set. */
  readonly hasRule: (rule: string) => boolean;
  readonly hooks: SourceHooks;
  /** Validators by the project's rules, which are the key as long as the config is unchanged. */
  readonly validators: WeakMap<ConfiguredRules, HtmlValidate>;
}

const elementMetadata = ['html5'];

const pageTarget: Target = {
  config: {
    extends: ['html-validate:standard'],
    elements: elementMetadata,
    rules: reportedElsewhere,
  },
  hasRule: ruleExists,
  hooks: {},
  validators: new WeakMap(),
};

const templateTarget: Target = {
  config: { plugins: [vueRules], elements: elementMetadata, rules: templateRules },
  // Rules about whole documents do not apply to a template.
  hasRule: (rule) => Object.hasOwn(templateRules, rule),
  hooks: templateHooks,
  validators: new WeakMap(),
};

const noRules: ConfiguredRules = new Map();

/** Validates with the project's rules, or without them if one throws because of invalid options. */
function validate(text: string, configuredRules: ConfiguredRules, target: Target): Message[] {
  const validator =
    target.validators.get(configuredRules) ?? createValidator(target, configuredRules);
  target.validators.set(configuredRules, validator);
  try {
    return listMessages(validator, text, target.hooks);
  } catch (error) {
    // Rules throw all kinds of errors, including bugs of their own.
    if (configuredRules.size === 0) throw error;
    const plain = target.validators.get(noRules) ?? createValidator(target, noRules);
    target.validators.set(noRules, plain).set(configuredRules, plain);
    return listMessages(plain, text, target.hooks);
  }
}

function listMessages(validator: HtmlValidate, text: string, hooks: SourceHooks): Message[] {
  return validator.validateStringSync(text, hooks).results.flatMap(({ messages }) => messages);
}

function createValidator(
  { config, hasRule }: Target,
  configuredRules: ConfiguredRules,
): HtmlValidate {
  const known = Object.fromEntries([...configuredRules].filter(([name]) => hasRule(name)));
  return new HtmlValidate(
    new StaticConfigLoader({ ...config, rules: { ...config.rules, ...known } } as ConfigData),
  );
}

function isReportedElsewhere({ ruleId, context }: Message): boolean {
  if (ruleId === 'parser-error') return true;
  const attribute: unknown = ruleId === 'element-required-attributes' && Object(context).attr;
  return typeof attribute === 'string' && attributesReportedElsewhere.has(attribute);
}

function toLintMessage(
  { ruleId, message, offset, size }: Message,
  lintConfig: LintConfig,
): LinterMessage {
  return {
    rule: ruleId,
    message,
    from: offset,
    to: offset + size,
    severity: lintConfig.rules.get(ruleId)?.[0] === 'error' ? 'error' : 'warning',
  };
}
