/** Lints TypeScript, and the scripts in Vue and Svelte components. */
import { blankText } from '../markup/blank-text.ts';
import { findEmbeddedFileName, findScripts } from '../typescript/embedded-scripts.ts';
import type { LinterMessage } from './lint-diagnostics.ts';
import { lintScript, type ScriptVariant, type ScriptLintContext } from './script-rules.ts';
import { typescriptEslintParser, tsxEslintParser } from './typescript-parser.ts';
import { typescriptRules } from './typescript-rules.ts';

/** Rules turned off because TypeScript reports the same with knowledge of types and scopes. */
const reportedByTypeScript = [
  'constructor-super',
  'getter-return',
  'no-class-assign',
  'no-const-assign',
  'no-dupe-args',
  'no-dupe-class-members',
  'no-dupe-keys',
  'no-func-assign',
  'no-import-assign',
  'no-new-native-nonconstructor',
  'no-obj-calls',
  'no-redeclare',
  'no-setter-return',
  'no-this-before-super',
  'no-unassigned-vars',
  'no-undef',
  'no-unreachable',
  'no-unsafe-negation',
  'no-unused-private-class-members',
  'no-unused-vars',
  'no-useless-assignment',
  'no-with',
];

/**
 * Rules turned off because a component's template uses and assigns its script's variables, and
 * Svelte has the label `$:`.
 */
const unreliableInComponents = [
  'no-dupe-class-members',
  'no-redeclare',
  'no-self-assign',
  'no-unassigned-vars',
  'no-undef',
  'no-unused-labels',
  'no-unused-vars',
  'no-useless-assignment',
];

/** Additional rules of typescript-eslint's stylistic config. */
const modernRules = { 'no-var': 'warn', 'prefer-const': 'warn' } as const;

/** Lints a TypeScript file. */
export function lintTypeScript(
  path: string,
  text: string,
  context: ScriptLintContext,
): LinterMessage[] {
  return lintScript(text, context, {
    ...createVariant(path),
    rules: { ...typescriptRules.rules, ...modernRules, ...turnOff(reportedByTypeScript) },
  });
}

/** Lints each script separately, with everything else blank, so that offsets stay the same. */
export function lintComponentScripts(
  path: string,
  source: string,
  context: ScriptLintContext,
): LinterMessage[] {
  const text = source.replaceAll(/<!--[^]*?-->/g, blankText);
  const name = findEmbeddedFileName(path, text);
  if (!name) return [];
  const variant = /\.tsx?$/.test(name)
    ? {
        ...createVariant(name),
        rules: { ...typescriptRules.rules, ...turnOff(unreliableInComponents) },
      }
    : { rules: turnOff(unreliableInComponents) };
  return findScripts(text).flatMap(({ from, to }) => {
    return lintScript(blankText(text.slice(0, from)) + text.slice(from, to), context, variant);
  });
}

function createVariant(path: string): Omit<ScriptVariant, 'rules'> {
  const parser = path.endsWith('x') ? tsxEslintParser : typescriptEslintParser;
  return { parser, plugins: typescriptRules.plugins };
}

function turnOff(rules: readonly string[]): Record<string, 'off'> {
  return Object.fromEntries(rules.map((rule) => [rule, 'off']));
}
