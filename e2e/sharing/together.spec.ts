import { expect, type Browser } from '@playwright/test';
import { findViolations } from '../rig/axe.ts';
import {
  expectQuiet,
  newSignedInUser,
  openAnotherTab,
  retype,
  saveDraft,
  startDraft,
  expectComplaints,
  test,
  uniqueName,
  type TestUser,
} from '../rig/test-user.ts';
import { startServer, type TestServer } from '@vitrine/testing/server';
import { setProjectMember } from '../rig/session.ts';

let ada: TestUser;
/** A user who may edit Ada's project. */
let ben: TestUser;
let names: { readonly ada: string; readonly ben: string };
let address: string;
let project: string;

test.beforeEach(async ({ browser, server }) => {
  await meetOn(browser, server);
});

/** Saves a project of Ada that Ben may edit, and opens it for both. */
async function meetOn(browser: Browser, server: TestServer): Promise<void> {
  names = { ada: uniqueName('ada'), ben: uniqueName('ben') };
  [ada, ben] = await Promise.all([
    newSignedInUser(browser, server, names.ada),
    newSignedInUser(browser, server, names.ben),
  ]);
  await startDraft(ada, server, 'html');
  await retype(ada, 'index.html', '<p>middle</p>');
  address = await saveDraft(ada);
  project = new URL(address).pathname.split('/').at(-1) ?? '';
  await setProjectMember(server, { project, username: names.ben }, 'editor');
  await ben.page.goto(address);
  await expectPeople(ada, you('ada'), names.ben);
  await expectPeople(ben, names.ada, you('ben'));
}

const you = (name: keyof typeof names) => `${names[name]} (you)`;

const peopleHere = ({ page }: TestUser) => page.getByRole('list', { name: 'People here' });
const connection = ({ page }: TestUser) => page.getByRole('status', { name: 'Connection' });
const text = (person: TestUser) => person.editor('index.html');

async function expectPeople(person: TestUser, ...people: string[]): Promise<void> {
  const titles = () =>
    peopleHere(person)
      .getByRole('listitem')
      .evaluateAll((items) => items.map((item) => item.getAttribute('title')));
  await expect.poll(titles).toEqual(people);
}

async function typeAt(person: TestUser, place: 'Home' | 'End', typed: string): Promise<void> {
  await text(person).click();
  await person.page.keyboard.press(`ControlOrMeta+${place}`);
  await person.page.keyboard.insertText(typed);
}

test(
  'two users see each other and each other’s saves, also in the preview',
  { tag: '@journey' },
  async ({ server }) => {
    await typeAt(ada, 'Home', '<p>from ada</p>');
    await expect(text(ben)).toHaveText('<p>from ada</p><p>middle</p>');
    await expect(ben.preview().getByText('from ada')).toBeVisible();
    await typeAt(ben, 'End', '<p>from ben</p>');
    await expect(text(ada)).toHaveText('<p>from ada</p><p>middle</p><p>from ben</p>');

    // Undo reverts only the user's own edit.
    await text(ada).click();
    await ada.page.keyboard.press('ControlOrMeta+z');
    for (const person of [ada, ben])
      await expect(text(person)).toHaveText('<p>middle</p><p>from ben</p>');
    expectQuiet(server, ada, ben);
  },
);

test('a viewer follows and is shown until they type, and their edits stay local', async ({
  browser,
  server,
}) => {
  const name = uniqueName('vic');
  const vic = await newSignedInUser(browser, server, name);
  await setProjectMember(server, { project, username: name }, 'viewer');
  await vic.page.goto(address);
  await expectPeople(ada, you('ada'), names.ben, name);
  await typeAt(ben, 'End', '<p>more</p>');
  await expect(text(vic)).toHaveText('<p>middle</p><p>more</p>');
  await typeAt(vic, 'End', '<p>mine</p>');
  await expect(vic.saveState()).toHaveText('Unsaved changes');
  await typeAt(ben, 'End', '<p>later</p>');
  await expect(text(ada)).toHaveText('<p>middle</p><p>more</p><p>later</p>');
  await expect(text(vic)).toHaveText('<p>middle</p><p>more</p><p>mine</p>');
  // A viewer sees the others' saves again until the changes are restored.
  await vic.page.reload();
  await expect(text(vic)).toHaveText('<p>middle</p><p>more</p><p>later</p>');
  await vic.page.getByRole('button', { name: 'Restore' }).click();
  await expect(text(vic)).toHaveText('<p>middle</p><p>more</p><p>mine</p>');
  await expectPeople(ada, you('ada'), names.ben, name);
  await vic.page.close({ runBeforeUnload: false });
  await expectPeople(ada, you('ada'), names.ben);
  expectQuiet(server, ada, ben, vic);
});

test('a second tab of the same user is shown, until it is closed', async () => {
  const other = await openAnotherTab(ada);
  await other.page.goto(address);
  await expectPeople(ben, `${names.ada}, in 2 tabs`, you('ben'));
  await expectPeople(other, `${you('ada')}, in 2 tabs`, names.ben);
  await other.page.close();
  await expectPeople(ben, names.ada, you('ben'));
});

test('a user back online receives what was saved meanwhile, and sends their edits', async () => {
  await ben.context.setOffline(true);
  await expect(connection(ben)).toHaveText('Offline');
  await expect(peopleHere(ben)).toBeHidden();
  await retype(ada, 'index.html', '<p>meanwhile</p>');
  await expect(ada.saveState()).toHaveText('Saved');
  await typeAt(ben, 'Home', '<p>kept</p>');
  await expect(ben.saveState()).toHaveText('Offline – saved on this device');
  // Shown once.
  await expect(connection(ben)).toHaveText('');
  await ben.context.setOffline(false);
  for (const person of [ada, ben])
    await expect(text(person)).toHaveText(/<p>kept<\/p>.*<p>meanwhile<\/p>/);
  await expect(connection(ben)).toHaveText('');
  await expectPeople(ben, names.ada, you('ben'));
  await expectComplaints(ben, /ERR_INTERNET_DISCONNECTED/);
});

test('after a server crash and restart, both have all edits and see each other', async ({
  browser,
}) => {
  // Two servers are started, one of them behind a kill.
  test.slow();
  const killed = await startServer();
  await meetOn(browser, killed);
  const { dataDir } = killed;
  const port = Number(new URL(killed.address).port);
  killed.process.kill('SIGKILL');
  for (const person of [ada, ben])
    await expect(connection(person)).toHaveText(/^(Reconnecting…)?$/);
  await expect(connection(ada)).toHaveText('Reconnecting…');
  await typeAt(ada, 'Home', '<p>without ben</p>');
  await typeAt(ben, 'End', '<p>without ada</p>');
  const server = await startServer({ dataDir, port });
  for (const person of [ada, ben]) {
    await expect(text(person)).toHaveText(/^<p>without ben<\/p>.*<p>without ada<\/p>$/, {
      timeout: 20_000,
    });
    await expect(connection(person)).toHaveText('');
  }
  await expectPeople(ada, you('ada'), names.ben);
  await expectPeople(ben, names.ada, you('ben'));
  await server.remove();
});

test('has no axe violations', async () => {
  expect(await findViolations(ada.page, { within: 'header' })).toEqual([]);
});

test('RT-04: a removed member is notified, keeps the text, and disappears from presence', async ({
  server,
}) => {
  await setProjectMember(server, { project, username: names.ben }, null);
  await expect(
    ben.page
      .getByRole('region', { name: 'Notifications' })
      .getByText('You no longer have access to'),
  ).toBeVisible();
  await expect(peopleHere(ben)).toBeHidden();
  await expect(peopleHere(ada)).toBeHidden();
  const before = await text(ben).textContent();
  await retype(ada, 'index.html', '<p>secret</p>');
  await expect(ada.saveState()).toHaveText('Saved');
  await expect(ben.page.getByRole('button', { name: 'Fork' })).toBeVisible();
  await expect(text(ben)).toHaveText(before ?? '');
});

test(
  'signing out in one tab closes the other tab’s WebSocket',
  { tag: '@long' },
  async ({ server }) => {
    const frames: string[] = [];
    const other = await openAnotherTab(ada);
    other.page.on('websocket', (socket) =>
      socket.on('framesent', ({ payload }) => frames.push(String(payload))),
    );
    await other.page.goto(address);
    await expectPeople(other, `${you('ada')}, in 2 tabs`, names.ben);
    await ada.page.goto(`${server.address}/work`);
    await ada.page.getByRole('button', { name: `Account menu for ${names.ada}` }).click();
    await ada.page.getByRole('menuitem', { name: 'Sign out' }).click();
    await expect.poll(() => frames.some((frame) => frame.includes('phx_leave'))).toBe(true);
    await expect(text(other)).toBeHidden();
  },
);
