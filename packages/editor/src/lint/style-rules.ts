import css from '@eslint/css';
import type { Linter } from 'eslint/universal';
import type { LintConfig } from './lint-config.ts';
import type { LinterMessage } from './lint-diagnostics.ts';
import { parseFailed, runEslint } from './run-eslint.ts';
import { findStrayBrace } from './stray-brace.ts';

/** Tailwind has at-rules and functions of its own, and its compiler reports errors in them. */
const tailwindSyntax =
  /@(?:import|reference)\s+["']tailwindcss|@(?:tailwind|theme|apply|utility|variant)\b/;

/**
 * ESLint config for CSS. Of the recommended rules, `no-important` is left out as a matter of taste,
 * and `use-baseline` because playgrounds often try new features. A project's config may turn on
 * both.
 */
const cssConfig: Linter.Config = {
  language: 'css/css',
  plugins: { css },
  languageOptions: {
    tolerant: true,
    customSyntax: {
      properties: {
        // CSS Modules.
        composes: '<custom-ident>+ [from [<string> | <custom-ident>]]?',
      },
      atrules: { value: { prelude: '<any-value>' } },
    },
  },
  linterOptions: { reportUnusedDisableDirectives: 'off' },
  rules: {
    'css/font-family-fallbacks': 'warn',
    'css/no-duplicate-imports': 'warn',
    'css/no-duplicate-keyframe-selectors': 'warn',
    'css/no-empty-blocks': 'warn',
    'css/no-invalid-at-rule-placement': 'warn',
    'css/no-invalid-at-rules': 'warn',
    'css/no-invalid-named-grid-areas': 'warn',
    'css/no-invalid-properties': ['warn', { allowUnknownVariables: true }],
    'css/no-unmatchable-selectors': 'warn',
  },
};

/** Lints a stylesheet with `@eslint/css`, which finds nothing in one with a syntax error, and finds a stray `}`. */
export function lintStylesheet(text: string, lintConfig: LintConfig): LinterMessage[] {
  if (tailwindSyntax.test(text)) return [];
  const messages = runEslint(text, cssConfig, lintConfig.rules);
  const others = messages === parseFailed ? [] : messages;
  return [...findStrayBrace(text), ...others.filter((each) => !isCustomProperty(each, text))];
}

/** A custom property may already end with a generic font family. */
function isCustomProperty({ rule, from, to }: LinterMessage, text: string): boolean {
  return rule === 'css/font-family-fallbacks' && text.slice(from, to).includes('var(');
}
