import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Page } from '@playwright/test';
import { EditorBrowser } from './open-page.ts';
import { typingCases } from './typed/all-cases.ts';

let browser: EditorBrowser;
let page: Page;

beforeAll(async () => {
  browser = await EditorBrowser.start();
  page = await browser.open({ 'a.txt': '' });
});
afterAll(() => browser.close());

const keys: Readonly<Record<string, string>> = {
  '⏎': 'Enter',
  '⌫': 'Backspace',
  '⎋': 'Escape',
  '⌘/': 'ControlOrMeta+/',
};

async function press(pressed: string): Promise<void> {
  for (const [each] of pressed.matchAll(/⌘.|./gu)) {
    const key = keys[each];
    if (key) await page.keyboard.press(key);
    else await page.keyboard.type(each);
  }
}

describe.for(Object.entries(typingCases))('in %s', ([path, cases]) => {
  test(`${cases.length} cases come out as they should`, async () => {
    const other: unknown[] = [];
    for (const [before, pressed, after] of cases) {
      await page.evaluate(([at, text]) => globalThis.page.begin(at, text), [path, before] as const);
      await press(pressed);
      const came = await page.evaluate(() => globalThis.page.marked());
      if (came !== after) other.push({ before, pressed, came, after });
    }
    expect(other).toEqual([]);
    expect(browser.takeErrors()).toEqual([]);
  });
});
