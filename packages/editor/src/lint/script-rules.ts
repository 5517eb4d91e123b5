import js from '@eslint/js';
import type { Linter } from 'eslint/universal';
import type { OwnConfig } from './own-rules.ts';
import type { Said } from './rule-problem.ts';
import { broken, runEslint } from './run-eslint.ts';

/** Code that breaks these throws, or never does what it says, whenever it runs. */
const serious: ReadonlySet<string> = new Set([
  'constructor-super',
  'no-const-assign',
  'no-import-assign',
  'no-new-native-nonconstructor',
  'no-obj-calls',
  'no-this-before-super',
  'no-undef',
]);

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
  'no-unused-vars',
  'no-useless-assignment',
  'no-with',
];

const recommended = js.configs.recommended.rules;
/** What TypeScript's own style asks for besides. */
const modern = { 'no-var': 'warn', 'prefer-const': 'warn' } as const;

export interface ScriptSurroundings {
  readonly own: OwnConfig;
  /** Names that are there without being declared in the file; undefined where nobody knows them all. */
  readonly names: readonly string[] | undefined;
  /** TypeScript, with its types blanked out. */
  readonly isTyped: boolean;
}

/** What ESLint's recommended rules say of a script; nothing of one whose grammar is broken. */
export function checkScript(text: string, surroundings: ScriptSurroundings): Said[] {
  const order = isModule(text) || surroundings.isTyped ? modules : scripts;
  for (const sourceType of order) {
    const config = configure(sourceType, surroundings);
    const said = runEslint(text, config, surroundings.own.rules, serious);
    if (said !== broken) return said.filter((each) => !isJsxName(each));
  }
  return [];
}

/** A script that awaits at its top is a module after all. */
const scripts = ['script', 'module'] as const;
const modules = ['module'] as const;

function isModule(text: string): boolean {
  return /^\s*(?:import\b(?!\s*\()|export\b)/m.test(text) || text.includes('import.meta');
}

function configure(
  sourceType: 'script' | 'module',
  { own, names, isTyped }: ScriptSurroundings,
): Linter.Config {
  const quiet = isTyped ? toldByTypes : names ? [] : ['no-undef'];
  // What a plain script declares at its top is there for the others.
  const vars = sourceType === 'script' ? 'local' : 'all';
  return {
    languageOptions: {
      sourceType,
      parserOptions: { ecmaFeatures: { jsx: true } },
      globals: Object.fromEntries([...(names ?? []), ...own.globals].map((name) => [name, true])),
    },
    linterOptions: { reportUnusedDisableDirectives: 'off' },
    rules: {
      ...recommended,
      ...(isTyped && modern),
      'no-unused-vars': ['warn', { vars, caughtErrors: 'none', ignoreRestSiblings: true }],
      ...(sourceType === 'script' && { 'no-redeclare': ['warn', { builtinGlobals: false }] }),
      ...Object.fromEntries(quiet.map((rule) => [rule, 'off'])),
    },
  };
}

/** Where JSX makes calls of one of these, nothing in the text says so. */
function isJsxName({ rule, message }: Said): boolean {
  return rule === 'no-unused-vars' && /^'(?:React|h|Fragment)' is defined/.test(message);
}
