import json from '@eslint/json';
import type { LintConfig } from './lint-config.ts';
import type { LinterMessage } from './lint-diagnostics.ts';
import { parseFailed, runEslint } from './run-eslint.ts';

const rules = {
  'json/no-duplicate-keys': 'warn',
  'json/no-empty-keys': 'warn',
  'json/no-unsafe-values': 'warn',
} as const;

/** Lints a JSON file with `@eslint/json`. Nothing for a file with a syntax error. */
export function lintJson(text: string, lintConfig: LintConfig): LinterMessage[] {
  const eslintConfig = { language: 'json/jsonc', plugins: { json }, rules } as const;
  const messages = runEslint(text, eslintConfig, lintConfig.rules);
  return messages === parseFailed ? [] : messages;
}
