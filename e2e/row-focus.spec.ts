import { expect, type Locator, type Page } from '@playwright/test';
import { addProjects, inviteUser, setProjectMember } from './rig/session.ts';
import {
  expectQuiet,
  getEmail,
  newSignedInUser,
  saveDraft,
  startDraft,
  test,
  uniqueName,
} from './rig/test-user.ts';

const toast = (page: Page) => page.getByRole('region', { name: 'Notifications' });
const actions = (page: Page, title: string) =>
  page.getByRole('button', { name: `Actions for ${title}` });

/** Presses a button with the keyboard. */
async function press(button: Locator): Promise<void> {
  await button.focus();
  await button.page().keyboard.press('Enter');
}

async function choose(page: Page, trigger: Locator, item: string): Promise<void> {
  const choice = page.getByRole('menuitem', { name: item });
  // A toast that closes meanwhile returns the focus to the page.
  await expect(async () => {
    if (!(await choice.isVisible())) await press(trigger);
    await expect(choice).toBeVisible({ timeout: 2_000 });
  }).toPass();
  await choice.focus();
  await page.keyboard.press('Enter');
}

test('in Your work and the trash, the focus goes to the next row, and after the last to the heading', async ({
  browser,
  server,
}) => {
  const name = uniqueName('wren');
  const wren = await newSignedInUser(browser, server, name);
  const { page } = wren;
  await addProjects(
    server,
    getEmail(name),
    ['A', 'B', 'C', 'D', 'E'].map((title) => ({ title })),
  );
  for (const view of ['grid', 'list']) {
    await page.goto(`${server.address}/work?view=${view}`);
    const title = view === 'grid' ? 'B' : 'D';
    const next = view === 'grid' ? 'C' : 'E';
    await choose(page, actions(page, title), 'Move to trash');
    await expect(actions(page, title)).toHaveCount(0);
    await expect(actions(page, next)).toBeFocused();
  }
  // The last row: the focus goes to the one before.
  await choose(page, actions(page, 'E'), 'Move to trash');
  await expect(actions(page, 'C')).toBeFocused();
  // With its toolbar.
  await page.getByRole('checkbox', { name: 'Select A' }).click();
  await press(page.getByRole('toolbar').getByRole('button', { name: 'Move to trash' }));
  await expect(page.getByRole('heading', { name: 'Your work' })).toBeFocused();

  await page.goto(`${server.address}/work?show=trash`);
  const restore = (title: string) => page.getByRole('button', { name: `Restore ${title}` });
  const remove = (title: string) => page.getByRole('button', { name: `Delete forever: ${title}` });
  const rows = page.getByRole('list', { name: 'Trash' }).getByRole('listitem');
  // Latest first.
  await expect(rows).toHaveText([/^A/, /^E/, /^D/, /^B/]);
  await press(restore('A'));
  await expect(restore('E')).toBeFocused();
  await press(remove('E'));
  await press(page.getByRole('dialog').getByRole('button', { name: 'Delete forever' }));
  await expect(remove('D')).toBeFocused();
  // After a cancel, where it was.
  await press(remove('D'));
  await press(page.getByRole('dialog').getByRole('button', { name: 'Cancel' }));
  await expect(remove('D')).toBeFocused();
  await press(page.getByRole('button', { name: 'Empty trash' }));
  await press(page.getByRole('dialog').getByRole('button', { name: 'Empty trash' }));
  await expect(page.getByText('The trash is empty.')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Your work' })).toBeFocused();
  expectQuiet(server, wren);
});

test('the focus stays among tags, and in a collection', async ({ browser, server }) => {
  const name = uniqueName('wren');
  const wren = await newSignedInUser(browser, server, name);
  const { page } = wren;
  await addProjects(
    server,
    getEmail(name),
    ['One', 'Two', 'Three'].map((title) => ({ title })),
  );
  await page.goto(`${server.address}/work`);
  await page.getByRole('checkbox', { name: 'Select One' }).click();
  await page.getByRole('checkbox', { name: 'Select Three' }).click({ modifiers: ['Shift'] });
  await page.getByRole('button', { name: 'Edit tags' }).click();
  const dialog = page.getByRole('dialog', { name: 'Tags for 3 projects' });
  for (const tag of ['art', 'music']) {
    await dialog.getByLabel('Add a tag').fill(tag);
    await page.keyboard.press('Enter');
    await expect(dialog.getByRole('button', { name: `Remove ${tag}` })).toBeVisible();
  }
  await press(dialog.getByRole('button', { name: 'Remove art' }));
  await expect(dialog.getByRole('button', { name: 'Remove music' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(dialog.getByText('No tags yet.')).toBeVisible();
  await expect(dialog.getByLabel('Add a tag')).toBeFocused();
  await page.keyboard.press('Escape');

  await page.getByRole('button', { name: 'Add to collection' }).click();
  await page.getByRole('dialog').getByLabel('New collection').fill('Lesson');
  await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
  const view = toast(page).getByRole('button', { name: 'View' });
  await view.click();
  await expect(page.getByRole('heading', { name: 'Lesson' })).toBeVisible();
  // The focus leaves the toast when it closes.
  await expect(view).toHaveCount(0);
  await choose(page, actions(page, 'One'), 'Remove from collection');
  await expect(actions(page, 'Two')).toBeFocused();
  await choose(page, actions(page, 'Three'), 'Remove from collection');
  await expect(actions(page, 'Two')).toBeFocused();
  await choose(page, actions(page, 'Two'), 'Remove from collection');
  await expect(page.getByRole('heading', { name: 'Lesson' })).toBeFocused();
  expectQuiet(server, wren);
});

test('the focus stays among invitations and members, and a member is removed only after a confirmation', async ({
  browser,
  server,
}) => {
  const [adaName, benName, cyName] = [uniqueName('ada'), uniqueName('ben'), uniqueName('cy')];
  const ada = await newSignedInUser(browser, server, adaName);
  const ben = await newSignedInUser(browser, server, benName);
  const cy = await newSignedInUser(browser, server, cyName);
  await startDraft(ada, server, 'html');
  const project = (await saveDraft(ada)).slice(-16);
  for (const username of [benName, cyName])
    await setProjectMember(server, { project, username }, 'editor');
  const { page } = ada;
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  const share = page.getByRole('dialog', { name: 'Share' });
  const members = share.getByRole('list', { name: 'Members' }).getByRole('listitem');
  await expect(members).toHaveCount(3);

  await choose(page, actions(page, benName), 'Remove from project');
  const asked = page.getByRole('dialog', { name: `Remove ${benName}?` });
  await expect(asked).toContainText('loses access to “Untitled project” right away');
  await press(asked.getByRole('button', { name: 'Cancel' }));
  await expect(members).toHaveCount(3);
  await expect(actions(page, benName)).toBeFocused();
  await choose(page, actions(page, benName), 'Remove from project');
  await press(asked.getByRole('button', { name: 'Remove' }));
  await expect(members).toHaveCount(2);
  await expect(actions(page, cyName)).toBeFocused();
  await choose(page, actions(page, cyName), 'Remove from project');
  await press(page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }));
  await expect(members).toHaveCount(1);
  await expect(share.getByRole('heading', { name: 'People' })).toBeFocused();

  const revoke = share.getByRole('button', { name: /^Revoke invitation/ });
  for (const count of [1, 2]) {
    await share.getByRole('button', { name: 'Create link' }).click();
    await expect(revoke).toHaveCount(count);
    await share.getByRole('button', { name: 'New link' }).click();
  }
  await press(revoke.first());
  await expect(revoke).toHaveCount(1);
  await expect(revoke).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(share.getByRole('heading', { name: 'People' })).toBeFocused();

  await addProjects(server, getEmail(adaName), [{ title: 'Maze' }, { title: 'Moon' }]);
  for (const title of ['Maze', 'Moon'])
    await inviteUser(server, getEmail(adaName), { title, username: benName });
  await ben.page.goto(`${server.address}/work`);
  const decline = ben.page.getByRole('button', { name: /^Decline invitation/ });
  await expect(decline).toHaveCount(2);
  await press(decline.first());
  await expect(decline).toHaveCount(1);
  await expect(decline).toBeFocused();
  await ben.page.keyboard.press('Enter');
  await expect(ben.page.getByRole('heading', { name: 'Your work' })).toBeFocused();
  expectQuiet(server, ada, ben, cy);
});
