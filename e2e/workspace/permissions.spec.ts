import { expect, type Page } from '@playwright/test';
import { getChromiumOptions } from '@vitrine/testing/chromium';
import type { TestServer } from '@vitrine/testing/server';
import {
  makePublic,
  newSignedInUser,
  newVisitor,
  rewrite,
  saveDraft,
  startDraft,
  test,
  uniqueName,
  type TestUser,
} from '../rig/test-user.ts';

test.use({
  launchOptions: getChromiumOptions(
    '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE *.localhost, EXCLUDE 127.0.0.1',
    '--use-fake-device-for-media-stream',
    '--auto-select-desktop-capture-source=Entire screen',
  ),
});

/** A page that asks for what its buttons are named after, and shows the outcome. */
const asks = {
  camera: 'navigator.mediaDevices.getUserMedia({ video: true })',
  microphone: 'navigator.mediaDevices.getUserMedia({ audio: true })',
  location: 'new Promise((done, fail) => navigator.geolocation.getCurrentPosition(done, fail))',
  clipboard: 'navigator.clipboard.readText()',
  'wake lock': 'navigator.wakeLock.request()',
  'full screen': 'document.documentElement.requestFullscreen()',
};
const html = `<!doctype html><title>Page</title><output>nothing</output>
${Object.keys(asks)
  .map((name) => `<button>${name}</button>`)
  .join('\n')}
<script>
  const asks = { ${Object.entries(asks)
    .map(([name, ask]) => `'${name}': () => ${ask}`)
    .join(', ')} };
  const output = document.querySelector('output');
  onclick = async ({ target }) => {
    if (target.localName !== 'button') return;
    try {
      await asks[target.textContent]();
      output.textContent = target.textContent + ' given';
    } catch (error) {
      output.textContent = target.textContent + ' refused';
    }
  };
</script>`;

/** Presses a button of the page and waits for its outcome. */
async function ask(
  person: Pick<TestUser, 'preview'>,
  name: string,
  outcome: 'given' | 'refused',
): Promise<void> {
  const preview = person.preview();
  await preview.getByRole('button', { name, exact: true }).click();
  await expect(preview.locator('output')).toHaveText(`${name} ${outcome}`);
}

/** Allows what the Problems tab offers to allow. */
async function allow(page: Page, name: string): Promise<void> {
  await page.getByRole('tab', { name: /^Problems/ }).click();
  const problems = page.getByRole('list', { name: 'Problems' });
  await problems.getByRole('button', { name: `Allow ${name} for this project` }).click();
  const dialog = page.getByRole('dialog', { name: `Allow ${name}?` });
  await dialog.getByRole('button', { name: `Allow ${name}` }).click();
  await expect(dialog).toHaveCount(0);
  await expect(problems.getByText('You haven’t allowed that')).toHaveCount(0);
  // The page has been reloaded.
  await expect(page.frameLocator('iframe[title="Result"]').locator('output')).toHaveText('nothing');
}

async function openPermissions(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Result options' }).click();
  await page.getByRole('menuitem', { name: 'Permissions' }).click();
}

async function startAsking(person: TestUser, server: TestServer): Promise<void> {
  await startDraft(person, server, 'html');
  await rewrite(person, 'index.html', html);
  await expect(person.preview().locator('output')).toHaveText('nothing');
}

const granted = ['camera', 'microphone', 'geolocation', 'clipboard-read', 'screen-wake-lock'];

test('SB-31 a project gets the camera once the user allows it, on this device and for this project', async ({
  browser,
  server,
}) => {
  const name = uniqueName('ada');
  const ada = await newSignedInUser(browser, server, name);
  const { page } = ada;
  // The browser's own question, answered with yes.
  await ada.context.grantPermissions(granted);
  await startAsking(ada, server);
  const frame = page.locator('iframe[title="Result"]');

  await ask(ada, 'camera', 'refused');
  await expect(frame).not.toHaveAttribute('allow', /camera/);
  await page.getByRole('tab', { name: /^Problems/ }).click();
  await expect(page.getByRole('list', { name: 'Problems' })).toContainText(
    'The page tried to use the camera. You haven’t allowed that for this project.',
  );
  await allow(page, 'camera');
  await ask(ada, 'camera', 'given');
  await ask(ada, 'microphone', 'refused');

  await test.step('a saved project keeps it, also when it is opened again and on its full page', async () => {
    const address = await saveDraft(ada);
    await makePublic(ada);
    await page.reload();
    await ask(ada, 'camera', 'given');
    await page.goto(`${address}/full`);
    await ask(ada, 'camera', 'given');
    await ask(ada, 'microphone', 'refused');
    await expect(page.getByRole('status')).toContainText('The page tried to use the microphone.');
    await page.getByRole('button', { name: 'Allow microphone for this project' }).click();
    await page.getByRole('button', { name: 'Allow microphone', exact: true }).click();
    await ask(ada, 'microphone', 'given');
    await page.goto(address);
  });

  await test.step('the list revokes it', async () => {
    await openPermissions(page);
    const list = page.getByRole('list', { name: 'Permissions' });
    await expect(list.getByRole('checkbox', { name: 'Camera' })).toBeChecked();
    await expect(list.getByRole('checkbox', { name: 'Microphone' })).toBeChecked();
    await expect(list.getByRole('checkbox', { name: 'Location' })).not.toBeChecked();
    await list.getByRole('checkbox', { name: 'Microphone' }).uncheck();
    await page.keyboard.press('Escape');
    await ask(ada, 'microphone', 'refused');
    await ask(ada, 'camera', 'given');
  });

  await test.step('a fork and another project start without', async () => {
    await page.getByRole('button', { name: 'Menu', exact: true }).focus();
    await page.keyboard.press('ControlOrMeta+k');
    await page.getByRole('combobox', { name: 'Command' }).fill('Fork');
    await page.getByRole('option', { name: 'Fork', exact: true }).click();
    await page.waitForURL(/\/draft\//);
    await ask(ada, 'camera', 'refused');
    await startAsking(ada, server);
    await ask(ada, 'camera', 'refused');
  });
});

test('a page gets microphone, location, clipboard, wake lock and full screen', async ({
  browser,
  server,
}) => {
  const ann = await newVisitor(browser, server, {
    geolocation: { latitude: 1, longitude: 1 },
  });
  await ann.context.grantPermissions(granted);
  await startAsking(ann, server);
  for (const name of ['microphone', 'location', 'clipboard', 'wake lock']) {
    await ask(ann, name, 'refused');
    await allow(ann.page, name);
    await ask(ann, name, 'given');
  }
  // Needs no permission: the browser says how to leave it.
  await ask(ann, 'full screen', 'given');
});

test('another visitor hasn’t allowed anything', async ({ browser, server }) => {
  const owner = await newSignedInUser(browser, server, uniqueName('own'));
  await owner.context.grantPermissions(granted);
  await startAsking(owner, server);
  await ask(owner, 'camera', 'refused');
  await allow(owner.page, 'camera');
  const address = await saveDraft(owner);
  await makePublic(owner);
  await ask(owner, 'camera', 'given');

  const guest = await newVisitor(browser, server);
  await guest.context.grantPermissions(granted);
  await guest.page.goto(`${address}/full`);
  await ask(guest, 'camera', 'refused');
});
