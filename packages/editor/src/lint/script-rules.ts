import js from '@eslint/js';
import * as hooks from 'eslint-plugin-react-hooks';
import type { Linter } from 'eslint/universal';
import type { OwnConfig } from './own-rules.ts';
import type { Said } from './rule-problem.ts';
import { broken, runEslint } from './run-eslint.ts';

/**
 * Code that breaks these throws, or never does what it says, whenever it runs. `no-undef` is none of
 * them: which names there are, only running tells.
 */
const serious: ReadonlySet<string> = new Set([
  'constructor-super',
  'no-const-assign',
  'no-import-assign',
  'no-new-native-nonconstructor',
  'no-obj-calls',
  'no-this-before-super',
]);

const recommended = js.configs.recommended.rules;
const ofHooks = {
  plugins: { 'react-hooks': { rules: hooks.rules } },
  rules: { 'react-hooks/rules-of-hooks': 'warn', 'react-hooks/exhaustive-deps': 'warn' },
} as const;

export interface ScriptSurroundings {
  readonly own: OwnConfig;
  /** Names that are there without being declared in the file; undefined where nobody knows them all. */
  readonly names: readonly string[] | undefined;
  /** True where a function may be a component of React or Preact. */
  readonly hasHooks: boolean;
}

/** What is other for TypeScript, or for the scripts of components. */
export interface ScriptKind {
  readonly parser?: Linter.Parser;
  readonly plugins?: NonNullable<Linter.Config['plugins']>;
  readonly rules: Readonly<Record<string, 'off' | 'warn'>>;
}

/** What ESLint’s recommended rules say of a script; nothing of one whose grammar is broken. */
export function checkScript(
  text: string,
  surroundings: ScriptSurroundings,
  kind?: ScriptKind,
): Said[] {
  const order = kind || isModule(text) ? modules : scripts;
  for (const sourceType of order) {
    const config = configure(sourceType, surroundings, kind);
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
  { own, names, hasHooks }: ScriptSurroundings,
  kind: ScriptKind | undefined,
): Linter.Config {
  // What a plain script declares at its top is there for the others.
  const vars = sourceType === 'script' ? 'local' : 'all';
  return {
    languageOptions: {
      sourceType,
      ...(kind?.parser && { parser: kind.parser }),
      parserOptions: { ecmaFeatures: { jsx: true } },
      globals: Object.fromEntries([...(names ?? []), ...own.globals].map((name) => [name, true])),
    },
    linterOptions: { reportUnusedDisableDirectives: 'off' },
    plugins: { ...(hasHooks && ofHooks.plugins), ...kind?.plugins },
    rules: {
      ...recommended,
      'no-unused-vars': ['warn', { vars, caughtErrors: 'none', ignoreRestSiblings: true }],
      ...(sourceType === 'script' && { 'no-redeclare': ['warn', { builtinGlobals: false }] }),
      ...(!names && { 'no-undef': 'off' }),
      ...(hasHooks && ofHooks.rules),
      ...kind?.rules,
    },
  };
}

/** Where JSX makes calls of one of these, nothing in the text says so. */
function isJsxName({ rule, message }: Said): boolean {
  return rule === 'no-unused-vars' && /^'(?:React|h|Fragment)' is defined/.test(message);
}
