import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from '@playwright/test';
import type axe from 'axe-core';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const wcag = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa'];
/** Rules that a theme can violate, since it only changes colors. */
const colors = ['color-contrast', 'link-in-text-block'];

interface Looking {
  /** Selector of the part to check; the whole page by default. */
  readonly within?: string;
  readonly onlyColors?: boolean;
}

/**
 * Returns axe's violations of WCAG 2.2 AA on a page: "rule: selector of the element". The
 * preview's page is excluded, because it's the author's, and so are focus guards.
 */
export async function findViolations(page: Page, options: Looking = {}): Promise<string[]> {
  const { within = ':root', onlyColors = false } = options;
  // Injected once per page, because it is half a megabyte.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(source);
  const runOnly: axe.RunOnly = onlyColors
    ? { type: 'rule', values: colors }
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
