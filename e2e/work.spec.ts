import { expect, type Browser, type Locator, type Page } from '@playwright/test';
import { findViolations } from './rig/axe.ts';
import { addProjects, type SeededProject } from './rig/session.ts';
import {
  expectComplaints,
  expectQuiet,
  getEmail,
  makePublic,
  newSignedInUser,
  newVisitor,
  openAnotherTab,
  saveDraft,
  startDraft,
  test,
  uniqueName,
  type TestUser,
} from './rig/test-user.ts';
import { startServer, type TestServer } from '@vitrine/testing/server';

/** A signed-in user with these projects, the latest first, on Your work. */
async function openWork(
  browser: Browser,
  server: TestServer,
  projects: readonly SeededProject[],
  name = uniqueName('wren'),
): Promise<TestUser & { name: string }> {
  const user = await newSignedInUser(browser, server, name);
  await addProjects(server, getEmail(name), projects);
  await user.page.goto(`${server.address}/work`);
  await expect(rows(user.page).first()).toBeVisible();
  return { ...user, name };
}

const rows = (page: Page, list = 'Projects'): Locator =>
  page.getByRole('list', { name: list, exact: true }).getByRole('listitem');
/** Titles of the listed projects, in order. */
const titles = (page: Page, list = 'Projects') =>
  rows(page, list).getByRole('link').filter({ hasNotText: '#' });
const box = (page: Page, title: string) => page.getByRole('checkbox', { name: `Select ${title}` });
const bar = (page: Page) => page.getByRole('toolbar', { name: 'Selection' });
const toast = (page: Page) => page.getByRole('region', { name: 'Notifications' });
const openTab = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Your work' }).getByRole('link', { name }).click();

const three: readonly SeededProject[] = [
  { title: 'Snake', files: { 'game.js': 'const speed = 3;\nfunction moveSnake() {}' } },
  { title: 'Clock', visibility: 'public', files: { 'index.html': '<time></time>' } },
  { title: 'Atlas', visibility: 'unlisted' },
];

test('projects are searched, filtered and sorted by the URL, with and without scripts', async ({
  browser,
  server,
}) => {
  const wren = await openWork(browser, server, three);
  const { page } = wren;
  const count = page.getByRole('status', { name: 'Number of projects' });
  await expect(titles(page)).toHaveText(['Snake', 'Clock', 'Atlas']);
  await expect(count).toHaveText('3 projects');

  await page.getByRole('searchbox', { name: 'Search projects' }).fill('movesnake');
  await expect(titles(page)).toHaveText(['Snake']);
  await expect(rows(page)).toContainText('game.js:2');
  await expect(rows(page)).toContainText('function moveSnake() {}');
  await expect(count).toContainText('1 project found');
  await expect(page).toHaveURL(`${server.address}/work?q=movesnake`);
  await page.reload();
  await expect(page.getByRole('searchbox')).toHaveValue('movesnake');
  await expect(titles(page)).toHaveText(['Snake']);
  await page.getByRole('searchbox').fill('nothing has this');
  await expect(page.getByText('No projects match.')).toBeVisible();
  await count.getByRole('link', { name: 'Clear filters' }).click();
  await expect(page.getByRole('searchbox')).toHaveValue('');

  await page.getByRole('combobox', { name: 'Sort' }).selectOption('Title');
  await expect(titles(page)).toHaveText(['Atlas', 'Clock', 'Snake']);
  await page.getByRole('combobox', { name: 'Visibility' }).selectOption('Public');
  await expect(titles(page)).toHaveText(['Clock']);
  await expect(page).toHaveURL(`${server.address}/work?visibility=public&sort=title`);
  await page.goBack();
  await expect(titles(page)).toHaveText(['Atlas', 'Clock', 'Snake']);
  await expect(page.getByRole('combobox', { name: 'Visibility' })).toHaveValue('');

  const still = await browser.newContext({
    javaScriptEnabled: false,
    storageState: await wren.context.storageState(),
  });
  const plain = await still.newPage();
  await plain.goto(`${server.address}/work`);
  await plain.getByRole('searchbox').fill('clock');
  await plain.getByRole('button', { name: 'Search' }).click();
  await expect(titles(plain)).toHaveText(['Clock']);
  await plain.getByRole('link', { name: 'List' }).click();
  await plain.goto(`${server.address}/work`);
  await expect(plain.getByRole('link', { name: 'List' })).toHaveAttribute('aria-current', 'true');
  expectQuiet(server, wren);
});

test('the choice of a grid or a list is kept', async ({ browser, server }) => {
  const wren = await openWork(browser, server, three);
  const { page } = wren;
  const view = (name: string) =>
    page.getByRole('navigation', { name: 'View' }).getByRole('link', { name });
  await expect(view('Grid')).toHaveAttribute('aria-current', 'true');
  await expect(page.getByRole('article')).toHaveCount(3);
  await view('List').click();
  await expect(page.getByRole('article')).toHaveCount(0);
  await page.reload();
  await expect(view('List')).toHaveAttribute('aria-current', 'true');
  await expect(titles(page)).toHaveText(['Snake', 'Clock', 'Atlas']);
  expectQuiet(server, wren);
});

test('selected projects are tagged, published and moved to the trash together, and each can be undone', async ({
  browser,
  server,
}) => {
  const wren = await openWork(browser, server, three);
  const { page } = wren;
  await box(page, 'Snake').click();
  await box(page, 'Atlas').click({ modifiers: ['Shift'] });
  await expect(bar(page)).toContainText('3 selected');
  await page.keyboard.press('Escape');
  await expect(bar(page)).toHaveCount(0);
  await box(page, 'Snake').focus();
  await page.keyboard.press('Space');
  await box(page, 'Clock').focus();
  await page.keyboard.press('Space');
  await expect(bar(page)).toContainText('2 selected');

  await bar(page).getByRole('button', { name: 'Edit tags' }).click();
  const dialog = page.getByRole('dialog', { name: 'Tags for 2 projects' });
  await dialog.getByLabel('Add a tag').fill('not/this');
  await page.keyboard.press('Enter');
  await expect(dialog.getByText('Tags must be 1–30 characters')).toBeVisible();
  await dialog.getByLabel('Add a tag').fill('Game Jam');
  await page.keyboard.press('Enter');
  await expect(dialog.getByRole('listitem')).toContainText('game-jam');
  await dialog.getByRole('button', { name: 'Close' }).click();
  await expect(page.getByRole('link', { name: '#game-jam' })).toHaveCount(2);
  await toast(page).getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByRole('link', { name: '#game-jam' })).toHaveCount(0);

  await bar(page).getByRole('button', { name: 'Visibility' }).click();
  await page.getByRole('menuitem', { name: 'Public' }).click();
  await page.getByRole('button', { name: 'Make public' }).click();
  await expect(rows(page).filter({ hasText: 'Snake' })).toContainText('Public');
  await toast(page)
    .filter({ hasText: 'Made “Snake” public' })
    .getByRole('button', { name: 'Undo' })
    .first()
    .click();
  await expect(rows(page).filter({ hasText: 'Snake' })).toContainText('Private');
  await expect(rows(page).filter({ hasText: 'Clock' })).toContainText('Public');

  await bar(page).getByRole('button', { name: 'Move to trash' }).click();
  await expect(titles(page)).toHaveText(['Atlas']);
  await expect(bar(page)).toHaveCount(0);
  await page.getByText('Moved 2 projects to trash').first().waitFor();
  await toast(page).getByRole('button', { name: 'Undo' }).first().click();
  await expect(rows(page)).toHaveCount(3);
  expectQuiet(server, wren);
});

test('projects in the trash are restored, deleted forever, and emptied', async ({
  browser,
  server,
}) => {
  const wren = await openWork(browser, server, three);
  const { page } = wren;
  for (const title of ['Snake', 'Clock', 'Atlas']) await box(page, title).click();
  await bar(page).getByRole('button', { name: 'Move to trash' }).click();
  await openTab(page, 'Trash');
  await expect(rows(page, 'Trash')).toHaveCount(3);
  await expect(rows(page, 'Trash').first()).toContainText(/Will be deleted in (29|30) days/);

  await page.getByRole('button', { name: 'Restore Snake' }).click();
  await expect(rows(page, 'Trash')).toHaveCount(2);
  await page.getByRole('button', { name: 'Delete forever: Clock' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete “Clock” forever?' });
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(rows(page, 'Trash')).toHaveCount(2);
  await page.getByRole('button', { name: 'Delete forever: Clock' }).click();
  await dialog.getByRole('button', { name: 'Delete forever' }).click();
  await expect(rows(page, 'Trash')).toHaveCount(1);
  await page.getByRole('button', { name: 'Empty trash' }).click();
  await page
    .getByRole('dialog', { name: 'Empty the trash?' })
    .getByRole('button', { name: 'Empty trash' })
    .click();
  await expect(page.getByText('The trash is empty.')).toBeVisible();
  await openTab(page, 'Projects');
  await expect(titles(page)).toHaveText(['Snake']);
  expectQuiet(server, wren);
});

test('a long list has pages of 24, forward and back', async ({ browser, server }) => {
  const many = Array.from({ length: 30 }, (_, index) => ({ title: `P${index + 1}` }));
  const wren = await openWork(browser, server, many);
  const { page } = wren;
  const pages = page.getByRole('navigation', { name: 'Pages' });
  await expect(rows(page)).toHaveCount(24);
  await expect(pages.getByRole('link', { name: 'Previous' })).toHaveCount(0);
  await pages.getByRole('link', { name: 'Next' }).click();
  await expect(titles(page)).toHaveText(['P25', 'P26', 'P27', 'P28', 'P29', 'P30']);
  await pages.getByRole('link', { name: 'Previous' }).click();
  await expect(rows(page)).toHaveCount(24);
  await expect(titles(page).first()).toHaveText('P1');
  expectQuiet(server, wren);
});

test('without a connection, Your work says so, and loads when it is back', async ({
  browser,
  server,
}) => {
  const wren = await newSignedInUser(browser, server, uniqueName('wren'));
  const { page } = wren;
  await page.goto(`${server.address}/work`);
  await expect(page.getByText('No projects yet.')).toBeVisible();
  await wren.context.setOffline(true);
  await openTab(page, 'Trash');
  await expect(page.getByRole('alert')).toContainText('Can’t reach the server.');
  await wren.context.setOffline(false);
  await page.getByRole('link', { name: 'Try again' }).click();
  await expect(page.getByText('The trash is empty.')).toBeVisible();
  await expectComplaints(wren, /ERR_INTERNET_DISCONNECTED|Failed to fetch/);
  expectQuiet(server, wren);
});

test('a project’s title, description and tags are edited in Your work and in the workspace', async ({
  browser,
  server,
}) => {
  const name = uniqueName('wren');
  const wren = await newSignedInUser(browser, server, name);
  const { page } = wren;
  await startDraft(wren, server, 'html');
  const address = await saveDraft(wren);
  await page.getByRole('button', { name: 'Menu', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Details' }).click();
  const dialog = page.getByRole('dialog', { name: 'Details' });
  await dialog.getByLabel('Title').fill('A new title');
  await dialog.getByLabel('Description').fill('What it is about.');
  await dialog.getByLabel('Tags').fill('a b c d e f g h i');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog.getByText('Projects can’t have more than 8 tags.')).toBeVisible();
  await dialog.getByLabel('Tags').fill('Canvas, art');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'A new title' })).toBeVisible();

  await page.goto(`${server.address}/work?tag=art`);
  await expect(titles(page)).toHaveText(['A new title']);
  await page.getByRole('button', { name: 'Actions for A new title' }).click();
  await page.getByRole('menuitem', { name: 'Edit details' }).click();
  await expect(dialog.getByLabel('Description')).toHaveValue('What it is about.');
  await expect(dialog.getByLabel('Tags')).toHaveValue('art canvas');
  await dialog.getByLabel('Tags').fill('canvas');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('No projects match.')).toBeVisible();
  await page.goto(address);
  await expect(wren.editor('index.html')).toBeVisible();
  expectQuiet(server, wren);
});

test('a project lists its forks, and a fork says what has changed', async ({ browser, server }) => {
  const ann = await newSignedInUser(browser, server, uniqueName('ann'));
  await startDraft(ann, server, 'html');
  const original = await saveDraft(ann);
  await makePublic(ann);
  const bobName = uniqueName('bob');
  const bob = await newSignedInUser(browser, server, bobName);
  await bob.page.goto(original);
  await expect(bob.editor('index.html')).toBeVisible();
  await bob.page.getByRole('button', { name: 'Fork', exact: true }).click();
  await bob.page.waitForURL(new RegExp(`/@${bobName}/`));
  await bob.editor('style.css').or(bob.editor('index.html')).first().click();
  await bob.page.keyboard.press('ControlOrMeta+End');
  await bob.page.keyboard.insertText('\n/* mine */');
  await expect(bob.saveState()).toHaveText('Saved');
  await bob.page.getByRole('button', { name: 'Menu', exact: true }).click();
  await bob.page.getByRole('menuitem', { name: 'Forks' }).click();
  const changes = bob.page.getByRole('list', { name: 'Changes since the fork' });
  await expect(changes.getByRole('listitem')).toHaveText(/^Modified/);
  await expect(bob.page.getByText('No forks yet.')).toBeVisible();

  await ann.page.goto(`${original}/forks`);
  await expect(ann.page.getByRole('heading', { name: 'Forks (1)' })).toBeVisible();
  await expect(ann.page.getByText('1 fork is private or unlisted.')).toBeVisible();
  await bob.page.goBack();
  await makePublic(bob);
  await ann.page.reload();
  await expect(rows(ann.page, 'Forks')).toContainText(bobName);
  await ann.page.getByRole('link', { name: /^Changes in / }).click();
  await expect(
    ann.page.getByRole('list', { name: 'Changes since the fork' }).getByRole('listitem'),
  ).toHaveCount(1);
  expectQuiet(server, ann, bob);
});

const slides: readonly SeededProject[] = ['One', 'Two', 'Three'].map((title) => ({
  title,
  visibility: 'public',
  files: { 'index.html': `<h1>Result ${title}</h1>` },
}));

/** Selects all projects and adds them to a new collection, which is opened. */
async function collectAll(page: Page, title: string): Promise<void> {
  await box(page, 'One').click();
  await box(page, 'Three').click({ modifiers: ['Shift'] });
  await bar(page).getByRole('button', { name: 'Add to collection' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add to collection' });
  await dialog.getByLabel('New collection').fill(title);
  await dialog.getByRole('button', { name: 'Create' }).click();
  await toast(page).getByRole('button', { name: 'View' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(title);
}

test('a collection is made from projects, ordered, annotated, published and played', async ({
  browser,
  server,
}) => {
  const wren = await openWork(browser, server, slides);
  const { page } = wren;
  await collectAll(page, 'Lesson 1');
  const items = rows(page).getByRole('link');
  await expect(items).toHaveText(['One', 'Two', 'Three']);

  await page.getByRole('button', { name: 'Move Three' }).focus();
  await page.keyboard.press('ArrowUp');
  await expect(items).toHaveText(['One', 'Three', 'Two']);
  await expect(page.getByText('Three, position 2 of 3')).toBeAttached();
  await page.keyboard.press('ArrowUp');
  await expect(items).toHaveText(['Three', 'One', 'Two']);
  await expect(page.getByRole('button', { name: 'Move Three' })).toBeFocused();
  await page.getByRole('button', { name: 'Move Two' }).dragTo(rows(page).first());
  await expect(items).toHaveText(['Two', 'Three', 'One']);
  await expect
    .poll(async () => {
      await page.reload();
      return items.allTextContents();
    })
    .toEqual(['Two', 'Three', 'One']);

  await page.getByRole('button', { name: 'Actions for Two' }).click();
  await page.getByRole('menuitem', { name: 'Add note' }).click();
  await page.getByRole('dialog').getByLabel('Note').fill('Start here.');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await expect(rows(page).first()).toContainText('Start here.');
  await page.getByRole('button', { name: 'Actions for One' }).click();
  await page.getByRole('menuitem', { name: 'Remove from collection' }).click();
  await expect(items).toHaveText(['Two', 'Three']);
  await toast(page).getByRole('button', { name: 'Undo' }).first().click();
  await expect(items).toHaveText(['Two', 'Three', 'One']);

  const address = page.url();
  const visitor = await newVisitor(browser, server);
  expect((await visitor.page.goto(address))?.status()).toBe(404);
  await expectComplaints(visitor, /status of 404/);
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Edit collection' });
  await dialog.getByLabel('Description').fill('Three small pages.');
  await dialog.getByRole('combobox', { name: 'Visibility' }).click();
  await page.getByRole('option', { name: 'Public' }).click();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Three small pages.')).toBeVisible();

  await visitor.page.goto(`${server.address}/@${wren.name}`);
  await visitor.page.getByRole('link', { name: 'Lesson 1' }).click();
  await expect(visitor.page.getByText('Start here.')).toBeVisible();
  await expect(visitor.page.getByRole('button', { name: /^Move / })).toHaveCount(0);
  await visitor.page.getByRole('link', { name: 'Play' }).click();
  await expect(visitor.preview().getByRole('heading', { name: 'Result Two' })).toBeVisible();
  await expect(visitor.page.getByRole('status', { name: 'Slide' })).toHaveText('1 of 3');
  await visitor.page.keyboard.press('ArrowRight');
  await expect(visitor.preview().getByRole('heading', { name: 'Result Three' })).toBeVisible();
  await expect(visitor.page).toHaveURL(`${address}?slide=2`);
  await visitor.page.keyboard.press('End');
  await expect(visitor.preview().getByRole('heading', { name: 'Result One' })).toBeVisible();
  await visitor.page.keyboard.press('ArrowRight');
  await visitor.page.getByRole('link', { name: 'Previous slide' }).click();
  await expect(visitor.preview().getByRole('heading', { name: 'Result Three' })).toBeVisible();
  await visitor.page.keyboard.press('Escape');
  await expect(visitor.page).toHaveURL(address);
  expectQuiet(server, wren, visitor);
});

test('a project is added to a collection from its workspace, once', async ({ browser, server }) => {
  const wren = await openWork(browser, server, slides);
  const { page } = wren;
  await collectAll(page, 'Lesson 1');
  await startDraft(wren, server, 'html');
  await saveDraft(wren);
  const open = async () => {
    await page.getByRole('button', { name: 'Menu', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Add to collection' }).click();
  };
  await open();
  await page.getByRole('button', { name: 'Add to Lesson 1' }).click();
  await expect(page.getByText('Added to “Lesson 1”')).toBeVisible();
  await open();
  await expect(page.getByRole('button', { name: 'Already in Lesson 1' })).toBeDisabled();
  expectQuiet(server, wren);
});

test('the screens of projects and collections have no axe violations and fit 360 px', async ({
  browser,
  server,
}) => {
  // A name whose initials are in it, as the account button shows them.
  const wren = await openWork(browser, server, slides, 'wren');
  const { page } = wren;
  const check = async (screen: string) => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      expect([screen, colorScheme, await findViolations(page)]).toEqual([screen, colorScheme, []]);
    }
    await page.setViewportSize({ width: 360, height: 740 });
    const isTooWide = () => page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
    await expect.poll(isTooWide, `${screen} scrolls sideways`).toBe(false);
    expect([screen, 360, await findViolations(page)]).toEqual([screen, 360, []]);
    await page.setViewportSize({ width: 1440, height: 900 });
  };
  await box(page, 'One').click();
  await check('grid with a selection');
  await bar(page).getByRole('button', { name: 'Edit tags' }).click();
  await page.getByLabel('Add a tag').fill('art');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog').getByRole('listitem')).toHaveCount(1);
  await check('tags');
  await page.keyboard.press('Escape');
  await page.goto(`${server.address}/work?view=list&q=result`);
  await check('list with matches');
  await page.goto(`${server.address}/work`);
  await collectAll(page, 'Lesson 1');
  await check('collection');
  await page.goto(`${page.url()}?slide=1`);
  await expect(wren.preview().getByRole('heading')).toBeVisible();
  await check('slide');
  await page.goto(`${server.address}/work?show=collections`);
  await check('collections');
  await page.goto(`${server.address}/work`);
  await box(page, 'Two').click();
  await bar(page).getByRole('button', { name: 'Move to trash' }).click();
  await page.goto(`${server.address}/work?show=trash`);
  await check('trash');
  expectQuiet(server, wren);
});

test('Your work stays where it was scrolled to before its scripts have loaded', async ({
  browser,
  server,
}) => {
  const many = Array.from({ length: 30 }, (_, index) => ({ title: `P${index + 1}` }));
  const { page, context } = await openWork(browser, server, many);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await context.route(/\/assets\/entry\.client-.*\.js$/, async (route) => {
    await released;
    await route.continue();
  });
  await page.goto(page.url(), { waitUntil: 'commit' });
  await page.getByRole('link', { name: 'Next' }).scrollIntoViewIfNeeded();
  const readTop = () => page.evaluate(() => scrollY);
  const top = await readTop();
  expect(top).toBeGreaterThan(0);
  release();
  await expect(async () => {
    await page.keyboard.press('ControlOrMeta+K');
    await expect(page.getByRole('combobox', { name: 'Command' })).toBeVisible({ timeout: 500 });
  }).toPass();
  expect(await readTop()).toBe(top);
});

test('filters, tags, sort and page are in the URL, and Back and Forward go through them', async ({
  browser,
  server,
}) => {
  const many = Array.from({ length: 30 }, (_, index) => ({
    title: `P${index + 1}`,
    visibility: index % 2 === 0 ? 'public' : 'private',
  }));
  const wren = await openWork(browser, server, many);
  const { page } = wren;
  const visibility = page.getByRole('combobox', { name: 'Visibility' });
  const search = page.getByRole('searchbox');
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Next' }).click();
  await expect(rows(page)).toHaveCount(6);
  await visibility.selectOption('Private');
  // A filter starts at the first page.
  await expect(rows(page)).toHaveCount(15);
  await expect(page).toHaveURL(`${server.address}/work?visibility=private`);
  await search.pressSequentially('p2');
  await expect(rows(page)).toHaveCount(6);
  await expect(page).toHaveURL(`${server.address}/work?q=p2&visibility=private`);
  await page.getByRole('banner').getByRole('link', { name: 'New project' }).click();
  await page.waitForURL(`${server.address}/new`);

  await page.goBack();
  await expect(search).toHaveValue('p2');
  await expect(visibility).toHaveValue('private');
  await expect(rows(page)).toHaveCount(6);
  // What was typed letter by letter is one step.
  await page.goBack();
  await expect(rows(page)).toHaveCount(15);
  await expect(search).toHaveValue('');
  await page.goBack();
  await expect(rows(page)).toHaveCount(6);
  await expect(visibility).toHaveValue('');
  await page.goBack();
  await expect(rows(page)).toHaveCount(24);
  for (let steps = 0; steps < 3; steps++) await page.goForward();
  await expect(search).toHaveValue('p2');
  await expect(rows(page)).toHaveCount(6);
  // With the focus in the field, too.
  await search.focus();
  await page.goBack();
  await expect(search).toHaveValue('');

  await page.goto(`${server.address}/work?q=&tag=Not a tag&sort=sideways&after=nonsense&show=?`);
  await expect(rows(page).first()).toBeVisible();
  expectQuiet(server, wren);
});

test('the palette opens the tabs of Your work, projects, and the dialogs of a project', async ({
  browser,
  server,
}) => {
  const wren = await openWork(browser, server, three);
  const { page } = wren;
  await startDraft(wren, server, 'html');
  const address = await saveDraft(wren);
  await page.goto(`${server.address}/work`);
  await expect(rows(page)).toHaveCount(4);
  const option = page.getByRole('dialog', { name: 'Commands' }).getByRole('option');
  const run = async (command: string) => {
    await page.keyboard.press('ControlOrMeta+K');
    await page.getByRole('combobox', { name: 'Command' }).fill(command);
    await expect(option.first()).toContainText(command);
    await page.keyboard.press('Enter');
  };
  for (const [tab, show] of [
    ['Shared with me', 'shared'],
    ['Collections', 'collections'],
    ['Drafts', 'drafts'],
    ['Trash', 'trash'],
  ] as const) {
    await run(`Your work: ${tab}`);
    await expect(page).toHaveURL(`${server.address}/work?show=${show}`);
    await expect(
      page.getByRole('navigation', { name: 'Your work' }).getByRole('link', { name: tab }),
    ).toHaveAttribute('aria-current', 'page');
  }
  await run('Profile');
  await expect(page).toHaveURL(`${server.address}/@${wren.name}`);
  await run('Settings: Sessions');
  await expect(page.getByRole('heading', { name: 'Active sessions' })).toBeVisible();
  await run('Open project: Untitled project');
  await page.waitForURL(address);
  await expect(wren.editor('index.html')).toBeVisible();

  await run('Details');
  await expect(page.getByRole('dialog', { name: 'Details' }).getByLabel('Title')).toHaveValue(
    'Untitled project',
  );
  await page.keyboard.press('Escape');
  await run('Add to collection');
  await expect(page.getByRole('dialog', { name: 'Add to collection' })).toBeVisible();
  await page.keyboard.press('Escape');
  await run('Share');
  await expect(page.getByRole('dialog', { name: 'Share' })).toBeVisible();
  await page.keyboard.press('Escape');
  await run('Forks');
  await expect(page.getByRole('heading', { name: 'Forks of Untitled project' })).toBeVisible();
  await run('New project');
  await page.waitForURL(`${server.address}/new`);
  await page.goto(`${server.address}/new/html`);
  await expect(wren.editor('index.html')).toBeVisible();
  await page.keyboard.press('ControlOrMeta+K');
  await page.getByRole('combobox', { name: 'Command' }).fill('add to collection');
  await expect(option.filter({ hasText: 'Add to collection' })).toHaveCount(0);
  expectQuiet(server, wren);
});

test('a change of what was deleted in another tab says so, and a press twice acts once', async ({
  browser,
  server,
}) => {
  const wren = await openWork(browser, server, three);
  const { page } = wren;
  await box(page, 'Snake').click();
  await box(page, 'Atlas').click({ modifiers: ['Shift'] });
  await bar(page).getByRole('button', { name: 'Move to trash' }).dblclick();
  await expect(page.getByText('Moved 3 projects to trash')).toHaveCount(1);
  await page.goto(`${server.address}/work?show=trash`);
  const other = await openAnotherTab(wren);
  await other.page.goto(`${server.address}/work?show=trash`);
  await other.page.getByRole('button', { name: 'Delete forever: Snake' }).click();
  await other.page.getByRole('dialog').getByRole('button', { name: 'Delete forever' }).dblclick();
  await expect(rows(other.page, 'Trash')).toHaveCount(2);
  await expect(toast(other.page).getByText('Deleted “Snake”')).toHaveCount(1);

  await page.getByRole('button', { name: 'Restore Snake' }).click();
  await expect(toast(page).getByText('This no longer exists')).toBeVisible();
  await expect(rows(page, 'Trash')).toHaveCount(2);
  await page.getByRole('button', { name: 'Restore Clock' }).dblclick();
  await expect(rows(page, 'Trash')).toHaveCount(1);
  await expect(toast(page).getByText('Restored “Clock”')).toHaveCount(1);
  expectQuiet(server, wren);
});

test('without a server, changes say so and leave the list, and work once it is back', async ({
  browser,
}) => {
  const first = await startServer();
  const wren = await openWork(browser, first, three);
  const { page } = wren;
  await first.stop();
  await page.getByRole('button', { name: 'Actions for Clock' }).click();
  await page.getByRole('menuitem', { name: 'Move to trash' }).click();
  await expect(toast(page).getByText('Can’t reach the server.')).toBeVisible();
  await expect(titles(page)).toHaveText(['Snake', 'Clock', 'Atlas']);
  await openTab(page, 'Trash');
  await expect(page.getByRole('alert')).toContainText('Can’t reach the server.');

  const again = await startServer({
    dataDir: first.dataDir,
    port: Number(new URL(first.address).port),
  });
  await page.getByRole('link', { name: 'Try again' }).click();
  await openTab(page, 'Projects');
  await page.getByRole('button', { name: 'Actions for Clock' }).click();
  await page.getByRole('menuitem', { name: 'Move to trash' }).click();
  await expect(titles(page)).toHaveText(['Snake', 'Atlas']);
  await expectComplaints(wren, /ERR_CONNECTION_REFUSED|Failed to fetch/);
  expectQuiet(again, wren);
  await again.remove();
});

test('titles, tags and searches work in every script', async ({ browser, server }) => {
  const scripts = ['Змейка', 'ثعبان!', '蛇のゲーム', 'Ὄφις', '🐍 <b>snake</b> & co'];
  const wren = await openWork(
    browser,
    server,
    scripts.map((title) => ({ title, files: { 'Данные.js': `// ${title}` } })),
  );
  const { page } = wren;
  await expect(titles(page)).toHaveText(scripts);
  for (const [query, title] of [
    ['змей', 'Змейка'],
    ['ثعبان', 'ثعبان!'],
    ['蛇のゲーム', '蛇のゲーム'],
    ['ὄφις', 'Ὄφις'],
    ['<b>snake', '🐍 <b>snake</b> & co'],
  ] as const) {
    await page.getByRole('searchbox').fill(query);
    await expect(titles(page)).toHaveText([title]);
  }
  await page.goto(`${server.address}/work?view=list`);
  await expect(titles(page)).toHaveText(scripts);
  // A title in a right-to-left script keeps its punctuation at its end.
  expect(
    await page
      .getByText('ثعبان!')
      .evaluate((element) => getComputedStyle(element.closest('bdi') ?? element).direction),
  ).toBe('rtl');
  expectQuiet(server, wren);
});

test('a collection is deleted, and a private one is opened by nobody else', async ({
  browser,
  server,
}) => {
  const wren = await openWork(browser, server, slides);
  const { page } = wren;
  await collectAll(page, 'Lesson 1');
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  const asked = page.getByRole('dialog', { name: 'Delete “Lesson 1”?' });
  await asked.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await asked.getByRole('button', { name: 'Delete collection' }).dblclick();
  await expect(page).toHaveURL(`${server.address}/work?show=collections`);
  await expect(page.getByText('No collections yet.')).toBeVisible();
  await openTab(page, 'Projects');
  await expect(rows(page)).toHaveCount(3);
  expectQuiet(server, wren);
});
