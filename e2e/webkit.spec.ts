/**
 * A journey in WebKit, without a look into the preview's frame: once its driver has entered one, WebKitGTK's keys don't reach
 * the page anymore. The preview's page logs its text instead, which the console shows.
 */
import { expect } from '@playwright/test';
import { withEmptyLog, type TestServer } from '@vitrine/testing/server';
import { hasWebKit, keys, startWebKit, type WebKit } from '@vitrine/testing/webkit';
import { findControl } from './rig/find-control.ts';
import { getEmail, getPassword, test } from './rig/test-user.ts';

/** Generous, because WebKit renders without a GPU, next to a test in Chromium. */
const patience = 30_000;

let server: TestServer;
let webkit: WebKit;

test.describe.configure({ timeout: 120_000 });
test.skip(!hasWebKit, 'WebKit is missing: apt-get install webkit2gtk-driver xvfb');
test.beforeAll(async ({ sharedServer }) => {
  server = withEmptyLog(sharedServer);
  webkit = await startWebKit();
});
test.afterAll(() => webkit.close());

/** Waits for a control with this role and name; with no role, for an input. */
async function find(role: string | null, name: string): Promise<string> {
  let found: string | null = null;
  await expect
    .poll(async () => (found = await webkit.page.findElement(findControl, role, name)), {
      message: `${role ?? 'input'} ${name}`,
      timeout: patience,
    })
    .not.toBeNull();
  return String(found);
}

async function press(role: string | null, name: string): Promise<void> {
  await webkit.page.click(await find(role, name));
}

const expectText = (role: string, name: string, text: string) =>
  expect
    .poll(async () => webkit.page.readText(await find(role, name)), {
      message: `the text of ${role} ${name}`,
      timeout: patience,
    })
    .toContain(text);

test('in WebKit, a new user types, sees it run, saves, and opens it again', async () => {
  const { page } = webkit;
  await page.goto(server.address);
  await press('link', 'New project');
  await press('button', 'HTML, CSS, JS');
  await press('tab', 'Console');
  await press('tab', 'script.js');
  await press('textbox', 'Editor: script.js');
  await page.press(keys.control, 'a');
  await page.press(keys.delete);
  await page.type(`console.log('Heading: ' + document.querySelector('h1').innerText)`);
  await expectText('log', 'Console', 'Heading: Make something');

  await press('tab', 'index.html');
  await press('textbox', 'Editor: index.html');
  await page.press(keys.control, 'a');
  await page.press(keys.delete);
  await page.type('<h1>Made in WebKit</h1><script src="script.js"></script>');
  await expectText('log', 'Console', 'Heading: Made in WebKit');
  await expectText('status', 'Save state', 'Draft (this device only)');

  await press('button', 'Share');
  await press('button', 'Save as public');
  for (const [name, text] of [
    ['Email', getEmail('wendy')],
    ['Username', 'wendy'],
    ['Password', getPassword('wendy')],
  ] as const) {
    await press(null, name);
    await page.type(text);
  }
  await press('button', 'Create account');
  const getAddress = async () => String(await page.call(() => location.href));
  await expect.poll(getAddress, { timeout: patience }).toMatch(/\/@wendy\/[a-z0-9]{16}$/);
  await expectText('status', 'Save state', 'Saved');

  await page.goto(await getAddress());
  await expectText('status', 'Save state', 'Saved');
  await press('tab', 'Console');
  await expectText('log', 'Console', 'Heading: Made in WebKit');
  expect(server.log.filter((line) => / (error|warn) /.test(line))).toEqual([]);
});
