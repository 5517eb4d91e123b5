import json from '@eslint/json';
import type { OwnConfig } from './own-rules.ts';
import type { Said } from './rule-problem.ts';
import { broken, runEslint } from './run-eslint.ts';

const rules = {
  'json/no-duplicate-keys': 'warn',
  'json/no-empty-keys': 'warn',
  'json/no-unsafe-values': 'warn',
} as const;

/** Lints a JSON file with `@eslint/json`. Nothing for a file with a syntax error. */
export function checkData(text: string, lintConfig: OwnConfig): Said[] {
  const eslintConfig = { language: 'json/jsonc', plugins: { json }, rules } as const;
  const messages = runEslint(text, eslintConfig, lintConfig.rules);
  return messages === broken ? [] : messages;
}
