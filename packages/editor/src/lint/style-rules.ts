import css from '@eslint/css';
import type { Linter } from 'eslint/universal';
import type { OwnConfig } from './own-rules.ts';
import type { Said } from './rule-problem.ts';
import { broken, runEslint } from './run-eslint.ts';

/** Tailwind's at-rules and functions are its own, and its compiler says what is wrong with them. */
const ofTailwind =
  /@(?:import|reference)\s+["']tailwindcss|@(?:tailwind|theme|apply|utility|variant)\b/;

/**
 * What `@eslint/css` says of a stylesheet. Left out of what it recommends: `!important`, which is a
 * matter of taste, and whether all browsers of the last years know a thing, which a playground is
 * often about. A project's own rules may ask for both.
 */
const config: Linter.Config = {
  language: 'css/css',
  plugins: { css },
  languageOptions: {
    tolerant: true,
    customSyntax: {
      properties: {
        // Of CSS modules.
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

export function checkStyle(text: string, own: OwnConfig): Said[] {
  if (ofTailwind.test(text)) return [];
  const said = runEslint(text, config, own.rules);
  return said === broken ? [] : said.filter((each) => !isOfVariable(each, text));
}

/** What a custom property holds may end as it should. */
function isOfVariable({ rule, from, to }: Said, text: string): boolean {
  return rule === 'css/font-family-fallbacks' && text.slice(from, to).includes('var(');
}
