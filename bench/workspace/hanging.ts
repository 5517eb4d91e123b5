/** A preview that hangs, and how fast a new one shows after a fix or Stop. */
import type { Page } from 'playwright-core';
import type { Subject } from './subjects.ts';

/** Hangs once its number is 11, but only once per device. */
export const hanging: Subject = {
  name: 'hanging',
  template: 'html',
  files: {
    'index.html':
      '<!doctype html><html lang="en"><title>Bench</title><h1>Bench 1</h1><script src="script.js"></script></html>',
    'style.css': '',
    'script.js': `const n = 1
if (n === 11 && !localStorage.hung) {
  localStorage.hung = 'yes';
  for (;;);
}
document.documentElement.dataset.n = String(n);
`,
  },
  baseline: 'fresh',
};

/** Milliseconds from the key that fixes the code to its frame. */
export async function fixLoop(page: Page): Promise<number[]> {
  await hang(page);
  await page.evaluate(() => window.typing.expect(111));
  await page.keyboard.press('1');
  return takeSample(page);
}

/** Milliseconds from Stop to the first frame of the next run, started as soon as possible. */
export async function stopAndRun(page: Page): Promise<number[]> {
  await hang(page);
  await page.evaluate(runWhenOffered);
  await page.getByRole('banner').getByRole('button', { name: 'Stop', exact: true }).focus();
  await page.evaluate(() => window.typing.expect(11));
  await page.keyboard.press('Enter');
  return takeSample(page);
}

async function hang(page: Page): Promise<void> {
  await page.keyboard.press('1');
  await page.getByText('The page isn’t responding').waitFor();
}

async function takeSample(page: Page): Promise<number[]> {
  await page.waitForFunction(() => window.typing.samples.length > 0);
  return page.evaluate(() => window.typing.samples);
}

function runWhenOffered(): void {
  const observer = new MutationObserver(() => {
    const buttons = [...document.querySelectorAll('button')];
    const again = buttons.find(({ textContent }) => textContent === 'Run again');
    if (!again) return;
    observer.disconnect();
    again.click();
  });
  observer.observe(document.body, { subtree: true, childList: true });
}
