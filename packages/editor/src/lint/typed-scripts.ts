/** TypeScript, and the scripts within components of Vue and Svelte. */
import { blank } from '../markup/blank.ts';
import { embeddedName, findScripts } from '../typescript/embedded-scripts.ts';
import type { Said } from './rule-problem.ts';
import { checkScript, type ScriptKind, type ScriptSurroundings } from './script-rules.ts';
import { typescript, typescriptWithJsx } from './typed-parser.ts';
import { typedRules } from './typed-rules.ts';

/** TypeScript says it of its own files, by what it knows of types and scopes. */
const toldByTypes = [
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

/** The markup of a component uses and assigns what its script does not, and Svelte has a label `$:`. */
const unknownInComponents = [
  'no-dupe-class-members',
  'no-redeclare',
  'no-self-assign',
  'no-unassigned-vars',
  'no-undef',
  'no-unused-labels',
  'no-unused-vars',
  'no-useless-assignment',
];

/** What the style of typescript-eslint asks for besides. */
const modern = { 'no-var': 'warn', 'prefer-const': 'warn' } as const;

export function checkTyped(path: string, text: string, surroundings: ScriptSurroundings): Said[] {
  return checkScript(text, surroundings, {
    ...typed(path),
    rules: { ...typedRules.rules, ...modern, ...off(toldByTypes) },
  });
}

/** Each script for itself, with all else blank: offsets stay what they are. */
export function checkComponent(
  path: string,
  written: string,
  surroundings: ScriptSurroundings,
): Said[] {
  const text = written.replaceAll(/<!--[^]*?-->/g, blank);
  const name = embeddedName(path, text);
  if (!name) return [];
  const kind = /\.tsx?$/.test(name)
    ? { ...typed(name), rules: { ...typedRules.rules, ...off(unknownInComponents) } }
    : { rules: off(unknownInComponents) };
  return findScripts(text).flatMap(({ from, to }) => {
    return checkScript(blank(text.slice(0, from)) + text.slice(from, to), surroundings, kind);
  });
}

function typed(path: string): Omit<ScriptKind, 'rules'> {
  const parser = path.endsWith('x') ? typescriptWithJsx : typescript;
  return { parser, plugins: typedRules.plugins };
}

function off(rules: readonly string[]): Record<string, 'off'> {
  return Object.fromEntries(rules.map((rule) => [rule, 'off']));
}
