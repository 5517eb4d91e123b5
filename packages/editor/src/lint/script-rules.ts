import js from '@eslint/js';
import * as hooks from 'eslint-plugin-react-hooks';
import type { Linter } from 'eslint/universal';
import type { LintConfig } from './lint-config.ts';
import type { LinterMessage } from './lint-diagnostics.ts';
import { parseFailed, runEslint } from './run-eslint.ts';

/**
 * Violations of these rules throw, or never do what the code says, whenever it runs. `no-undef` is
 * not among them: which globals exist is only known at run time.
 */
const errorRules: ReadonlySet<string> = new Set([
  'constructor-super',
  'no-const-assign',
  'no-import-assign',
  'no-new-native-nonconstructor',
  'no-obj-calls',
  'no-this-before-super',
]);

const recommended = js.configs.recommended.rules;
const hooksConfig = {
  plugins: { 'react-hooks': { rules: hooks.rules } },
  rules: { 'react-hooks/rules-of-hooks': 'warn', 'react-hooks/exhaustive-deps': 'warn' },
} as const;

/** What the linter knows about a script besides its text. */
export interface ScriptLintContext {
  readonly config: LintConfig;
  /**
   * Globals that are available without a declaration in the file. Undefined if they cannot be
   * known.
   */
  readonly globals: readonly string[] | undefined;
  /** True if a function may be a React or Preact component. */
  readonly hasHooks: boolean;
}

/** Differences for TypeScript, or for scripts in components. */
export interface ScriptVariant {
  readonly parser?: Linter.Parser;
  readonly plugins?: NonNullable<Linter.Config['plugins']>;
  readonly rules: Readonly<Record<string, 'off' | 'warn'>>;
}

/** Lints a script with ESLint's recommended rules. Nothing for a script with a syntax error. */
export function lintScript(
  text: string,
  context: ScriptLintContext,
  variant?: ScriptVariant,
): LinterMessage[] {
  const sourceTypes = variant || isModule(text) ? moduleOnly : scriptThenModule;
  for (const sourceType of sourceTypes) {
    const config = createConfig(sourceType, context, variant);
    const messages = runEslint(text, config, context.config.rules, errorRules);
    if (messages !== parseFailed)
      return messages.filter(
        (each) => !isJsxFactory(each) && (each.severity === 'error' || !isUmdBuild(text)),
      );
  }
  return [];
}

/** A script with a top-level `await` parses only as a module. */
const scriptThenModule = ['script', 'module'] as const;
const moduleOnly = ['module'] as const;

function isModule(text: string): boolean {
  return /^\s*(?:import\b(?!\s*\()|export\b)/m.test(text) || text.includes('import.meta');
}

function createConfig(
  sourceType: 'script' | 'module',
  { config: own, globals: globalNames, hasHooks }: ScriptLintContext,
  variant: ScriptVariant | undefined,
): Linter.Config {
  // Top-level declarations of a classic script are global, so other scripts may use them.
  const vars = sourceType === 'script' ? 'local' : 'all';
  return {
    languageOptions: {
      sourceType,
      ...(variant?.parser && { parser: variant.parser }),
      parserOptions: { ecmaFeatures: { jsx: true } },
      globals: Object.fromEntries(
        [...(globalNames ?? []), ...own.globals].map((name) => [name, true]),
      ),
    },
    linterOptions: { reportUnusedDisableDirectives: 'off' },
    plugins: { ...(hasHooks && hooksConfig.plugins), ...variant?.plugins },
    rules: {
      ...recommended,
      'no-unused-vars': ['warn', { vars, caughtErrors: 'none', ignoreRestSiblings: true }],
      ...(sourceType === 'script' && { 'no-redeclare': ['warn', { builtinGlobals: false }] }),
      ...(!globalNames && { 'no-undef': 'off' }),
      ...(hasHooks && hooksConfig.rules),
      ...variant?.rules,
    },
  };
}

/** Whether a script is the build of a library for pages, AMD and Node.js: its style isn't its user's. */
function isUmdBuild(text: string): boolean {
  return text.includes('define.amd') && /\btypeof (?:exports|module)\b/.test(text);
}

/** JSX transforms call these names without the source saying so. */
function isJsxFactory({ rule, message }: LinterMessage): boolean {
  return rule === 'no-unused-vars' && /^'(?:React|h|Fragment)' is defined/.test(message);
}
