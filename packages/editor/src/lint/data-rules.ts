import json from '@eslint/json';
import type { OwnConfig } from './own-rules.ts';
import type { Said } from './rule-problem.ts';
import { broken, runEslint } from './run-eslint.ts';

const rules = {
  'json/no-duplicate-keys': 'warn',
  'json/no-empty-keys': 'warn',
  'json/no-unsafe-values': 'warn',
} as const;

/** What `@eslint/json` says of a file; nothing of one whose grammar is broken. */
export function checkData(text: string, own: OwnConfig): Said[] {
  const config = { language: 'json/jsonc', plugins: { json }, rules } as const;
  const said = runEslint(text, config, own.rules);
  return said === broken ? [] : said;
}
