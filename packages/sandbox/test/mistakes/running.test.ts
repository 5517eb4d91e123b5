import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Browser } from '@playwright/test';
import { startRig, type Rig } from '../rig/app-server.ts';
import { startChromium } from '../rig/chromium.ts';
import { Workspace } from '../rig/workspace.ts';
import { runningMistakes } from './running.ts';

let browser: Browser;
let rig: Rig;
let workspace: Workspace;

// One page for all of them: a project follows the other, as for somebody who opens many.
beforeAll(async () => {
  [browser, rig] = await Promise.all([startChromium(), startRig()]);
  const page = await (await browser.newContext()).newPage();
  workspace = new Workspace(page, rig);
  await page.goto(`${rig.appOrigin}/`);
  await workspace.until('!!window.rig', (ready) => ready === true);
});
afterAll(async () => {
  await browser.close();
  await rig.close();
});

describe('a mistake that shows up when the project runs', () => {
  it.each(runningMistakes)('$name', async ({ files, place, sentence, severity, fix }) => {
    await workspace.startHere({ files });
    const { problems } = await workspace.seenUntil((seen) => seen.problems.length > 0);
    const [first] = problems;
    const at = first?.path === '' ? '' : `${first?.path}:${first?.line}:${first?.column}`;
    expect(`${at} ${first?.sentence}`).toBe(`${place} ${sentence}`);
    expect(first?.severity).toBe(severity);
    expect(first?.fixes?.[0]?.label).toBe(fix);
    await workspace.page.evaluate('preview.close()');
  });
});
