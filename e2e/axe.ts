import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from '@playwright/test';
import type axe from 'axe-core';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const wcag = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa'];
/** What a theme may break: it changes colours, and nothing else. */
const colours = ['color-contrast', 'link-in-text-block'];

interface Looking {
  /** A selector of the part that is looked at; else the whole page. */
  readonly within?: string;
  readonly onlyColours?: boolean;
}

/**
 * What axe says against a page by the rules of WCAG 2.2 AA: "rule: selector of the element". The
 * result's own page is left out, which is its author's, and so is what only hands on the focus.
 */
export async function findFaults(page: Page, options: Looking = {}): Promise<string[]> {
  const { within = ':root', onlyColours = false } = options;
  // Once for each page: it weighs half a megabyte.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(source);
  const runOnly: axe.RunOnly = onlyColours
    ? { type: 'rule', values: colours }
    : { type: 'tag', values: wcag };
  const { violations } = await page.evaluate(
    async ([include, only]) => {
      const { axe: library } = globalThis as unknown as { axe: typeof axe };
      const exclude = ['[data-base-ui-focus-guard]'];
      return library.run({ include, exclude }, { iframes: false, runOnly: only });
    },
    [within, runOnly] as const,
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target }) => `${id}: ${target.join(' ')}`),
  );
}
