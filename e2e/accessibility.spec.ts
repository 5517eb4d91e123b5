import { expect, type Browser, type Page } from '@playwright/test';
import { startFakeRegistry, type FakeRegistry } from '@vitrine/testing/registry';
import { addAuthenticator, startAuthenticator } from './rig/authenticator.ts';
import { findViolations } from './rig/axe.ts';
import {
  accountButton,
  getEmail,
  expectQuiet,
  makePublic,
  newSignedInDevice,
  newSignedInUser,
  newVisitor,
  openOutbox,
  getPassword,
  rewrite,
  saveDraft,
  signOutFromMenu,
  startDraft,
  tabTo,
  expectComplaints,
  test,
  type TestUser,
} from './rig/test-user.ts';
import { startServer, type TestServer } from '@vitrine/testing/server';
import { signUpAccount } from './rig/session.ts';

let server: TestServer;
let registry: FakeRegistry;
/** A public project of Ada's. */
let project: string;
/** Ada in a browser of this test. */
let ada: TestUser;
/** Never signs in. */
let visitor: TestUser;

test.beforeAll(async ({ browser }) => {
  registry = await startFakeRegistry();
  for (const name of ['react', 'react-dom']) registry.publish({ name, version: '19.3.1' });
  server = await startServer({ env: { npm_config_registry: registry.address } });
  const maker = await newSignedInUser(browser, server, 'ada');
  await startDraft(maker, server, 'html');
  project = new URL(await saveDraft(maker)).pathname;
  await makePublic(maker);
  // Leaves an email in the outbox.
  await maker.page.goto(`${server.address}/auth/forgot`);
  await maker.page.getByLabel('Email').fill(getEmail('ada'));
  await maker.page.getByRole('button', { name: 'Send link' }).click();
  await expect(maker.page.getByRole('heading', { name: 'Check your email' })).toBeVisible();
  await maker.context.close();
});
test.beforeEach(async ({ browser }) => {
  [ada, visitor] = await Promise.all([
    newSignedInDevice(browser, server, 'ada'),
    newVisitor(browser, server),
  ]);
});
test.afterAll(async () => {
  await server.remove();
  await registry.close();
});

/** A script that logs every kind of entry to the console. */
const speaking = `class Point { x = { y: 1 }; get far() { return 1 } }
console.warn('careful'); console.error(new TypeError('it broke', { cause: new Error('below') }));
console.log('%cteal', 'color: white; background: teal'); console.debug('quiet'); console.trace('here');
for (let i = 0; i < 3; i += 1) console.info('thrice');
console.group('group'); console.log(document.body, new Map([['a', 1]])); console.groupEnd();
console.table([{ a: 1 }, { a: 2 }]); console.log(new Point());`;

const [large, small] = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
];
const looks = [
  { colorScheme: 'light', size: small },
  { colorScheme: 'light', size: large },
  { colorScheme: 'dark', size: large },
  { colorScheme: 'dark', size: small },
] as const;

/** Axe's violations on the page at both sizes, and of its colors in both themes. */
async function findFaultsEverywhere(page: Page): Promise<string[]> {
  const faults = new Set<string>();
  for (const { colorScheme, size } of looks) {
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    for (const fault of await findViolations(page, { onlyColors: colorScheme === 'dark' }))
      faults.add(`${size.width}, ${colorScheme}: ${fault}`);
  }
  return [...faults];
}

/** True when the page scrolls sideways. */
async function isTooWide(page: Page): Promise<boolean> {
  return page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
}

async function expectFaultless({ page }: TestUser): Promise<void> {
  expect(await findFaultsEverywhere(page)).toEqual([]);
  await page.setViewportSize({ width: 360, height: 740 });
  // Floating elements are repositioned a frame later.
  await expect.poll(() => isTooWide(page), 'scrolls sideways at 360 px').toBe(false);
  await page.setViewportSize({ width: 1440, height: 900 });
}

const open = (person: TestUser, path: string) => person.page.goto(server.address + path);

interface Screen {
  readonly name: string;
  /** What its result may complain of, if that has come so far. */
  readonly known?: RegExp;
  show(browser: Browser): Promise<TestUser>;
}

const screens: readonly Screen[] = [
  {
    name: 'home for a visitor',
    async show() {
      await open(visitor, '/');
      await expect(visitor.page.getByRole('textbox', { name: /^Editor: / })).toBeVisible();
      return visitor;
    },
  },
  {
    name: 'the outbox',
    async show() {
      await openOutbox(visitor, server);
      await expect(visitor.page.getByRole('heading', { level: 1, name: 'Outbox' })).toBeVisible();
      return visitor;
    },
  },
  ...[
    '/new',
    '/work',
    '/auth/sign-in',
    '/auth/sign-in?by=mail',
    '/auth/sign-up',
    '/auth/forgot',
  ].map((path) => ({
    name: `${path} for a visitor`,
    async show() {
      await open(visitor, path);
      await expect(visitor.page.getByRole('heading', { level: 1 })).toBeVisible();
      return visitor;
    },
  })),
  ...['/', '/work', '/settings/profile', '/settings/account', '/settings/sessions'].map((path) => ({
    name: `${path} for a member`,
    async show() {
      await open(ada, path);
      await expect(ada.page.getByRole('heading').first()).toBeVisible();
      return ada;
    },
  })),
  {
    name: '/auth/confirm for a visitor',
    async show() {
      await open(visitor, '/auth/confirm');
      await expect(visitor.page.getByRole('heading', { name: 'Check your email' })).toBeVisible();
      return visitor;
    },
  },
  {
    name: '/auth/reset without a link',
    async show() {
      await open(visitor, '/auth/reset');
      await expect(visitor.page.getByRole('alert')).toBeVisible();
      return visitor;
    },
  },
  {
    name: '/auth/reset for who opened the link',
    async show() {
      await open(ada, '/auth/reset');
      await expect(ada.page.getByLabel('New password')).toBeVisible();
      return ada;
    },
  },
  {
    name: 'what a provider refused',
    async show() {
      await open(visitor, '/auth/callback?error=access_denied');
      await expect(visitor.page.getByRole('alert')).toBeVisible();
      return visitor;
    },
  },
  {
    name: 'the key of an authenticator',
    async show() {
      await open(ada, '/settings/account');
      await startAuthenticator(ada, 'Phone');
      return ada;
    },
  },
  {
    name: 'the step of the second factor',
    async show(browser) {
      const guarded = await newSignedInUser(browser, server, 'gus');
      await open(guarded, '/settings/account');
      await addAuthenticator(guarded, 'Phone');
      await addAuthenticator(guarded, 'Tablet');
      await signOutFromMenu(guarded, 'gus');
      await open(guarded, '/auth/sign-in');
      await guarded.page.getByLabel('Email').fill(getEmail('gus'));
      await guarded.page.getByLabel('Password').fill(getPassword('gus'));
      await guarded.page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await expect(guarded.page.getByRole('combobox', { name: 'Authenticator app' })).toBeVisible();
      return guarded;
    },
  },
  {
    name: 'the choice of a username',
    async show(browser) {
      const nameless = await newVisitor(browser, server);
      const account = { email: 'nameless@example.org', password: getPassword('nameless') };
      await signUpAccount(server, account);
      await open(nameless, '/auth/sign-in');
      await nameless.page.getByLabel('Email').fill(account.email);
      await nameless.page.getByLabel('Password').fill(account.password);
      await nameless.page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await expect(nameless.page.getByRole('heading', { name: 'Choose a username' })).toBeVisible();
      return nameless;
    },
  },
  {
    name: 'a notice',
    async show() {
      await open(ada, '/settings/profile');
      await ada.page.getByRole('button', { name: 'Save profile' }).click();
      const notices = ada.page.getByRole('region', { name: 'Notifications' });
      await expect(notices.getByText('Profile saved')).toBeVisible();
      // The toast stays while hovered.
      await notices.getByText('Profile saved').hover();
      return ada;
    },
  },
  {
    name: 'what is asked before an account is deleted',
    async show() {
      await open(ada, '/settings/account');
      await ada.page.getByRole('button', { name: 'Delete account…' }).click();
      await expect(ada.page.getByRole('dialog').getByLabel('Password')).toBeVisible();
      return ada;
    },
  },
  {
    name: 'what is not there',
    async show() {
      await open(visitor, '/no/such/place/here');
      await expect(visitor.page.getByText('Page not found')).toBeVisible();
      await expectComplaints(visitor, /status of 404/);
      return visitor;
    },
  },
  {
    name: 'a draft with its dock open',
    async show() {
      await startDraft(visitor, server, 'html');
      await rewrite(visitor, 'script.js', speaking);
      await visitor.page.getByRole('tab', { name: 'Console' }).click();
      const log = visitor.page.getByRole('log', { name: 'Console' });
      await expect(log.getByRole('region', { name: 'Table' })).toBeVisible();
      await log.getByRole('treeitem', { name: 'Point' }).last().click();
      await expect(log.getByRole('button', { name: 'Invoke getter' })).toBeVisible();
      await expect(visitor.page.getByRole('textbox', { name: 'Console input' })).toBeVisible();
      await expectComplaints(visitor, /careful/, /broke/);
      return visitor;
    },
  },
  {
    name: 'the packages of a draft',
    // The React in the registry has no ES modules.
    known: /status of 404/,
    async show() {
      await startDraft(visitor, server, 'react');
      await visitor.page.getByRole('button', { name: 'Packages', exact: true }).click();
      await expect(visitor.page.getByRole('listitem', { name: 'react@19.3.1' })).toBeVisible();
      return visitor;
    },
  },
  {
    name: 'the external resources of a draft',
    // The script can’t be loaded without a network.
    known: /unpkg\.com|ERR_|Failed to load/,
    async show() {
      await startDraft(visitor, server, 'html');
      await visitor.page.getByRole('button', { name: 'External resources', exact: true }).click();
      const field = visitor.page.getByRole('textbox', { name: 'Add script or stylesheet' });
      await field.fill('https://unpkg.com/three@0.187.0/build/three.module.js');
      await field.press('Enter');
      const offer = visitor.page.getByRole('button', { name: 'Use package instead' });
      await expect(offer).toBeVisible();
      await field.fill('three');
      await field.press('Enter');
      await expect(visitor.page.getByRole('alert').first()).toBeVisible();
      return visitor;
    },
  },
  {
    name: 'the permissions of a draft',
    async show() {
      await startDraft(visitor, server, 'html');
      await visitor.page.getByRole('button', { name: 'Result options' }).click();
      await visitor.page.getByRole('menuitem', { name: 'Permissions' }).click();
      await expect(visitor.page.getByRole('checkbox', { name: 'Camera' })).toBeVisible();
      return visitor;
    },
  },
  {
    name: 'the files of a draft, with code split in two',
    async show() {
      await startDraft(visitor, server, 'html');
      const { page } = visitor;
      await page.getByRole('button', { name: 'Tab actions' }).click();
      await page.getByRole('menuitem', { name: 'Split editor' }).click();
      await page.getByRole('button', { name: 'Files', exact: true }).click();
      await page.getByRole('treeitem', { name: 'style.css', exact: true }).click();
      await expect(visitor.editor('style.css')).toBeVisible();
      return visitor;
    },
  },
  {
    name: 'what would be replaced in files',
    async show() {
      await startDraft(visitor, server, 'html');
      const { page } = visitor;
      await page.keyboard.press('ControlOrMeta+Shift+F');
      await page.getByRole('searchbox', { name: 'Search in files' }).fill('button');
      await page.getByRole('button', { name: 'Replace', exact: true }).click();
      await expect(page.getByRole('checkbox', { name: 'Replace in style.css' })).toBeVisible();
      return visitor;
    },
  },
  {
    name: 'going to a file',
    async show() {
      await startDraft(visitor, server, 'html');
      await visitor.page.keyboard.press('ControlOrMeta+P');
      await expect(visitor.page.getByRole('option', { name: 'script.js' })).toBeVisible();
      return visitor;
    },
  },
  ...[
    { who: 'its owner', person: () => ada },
    { who: 'a stranger', person: () => visitor },
  ].map(({ who, person }) => ({
    name: `a project for ${who}`,
    async show() {
      await open(person(), project);
      await expect(person().editor('index.html')).toBeVisible();
      return person();
    },
  })),
  {
    name: 'the result alone',
    async show() {
      await open(visitor, `${project}/full`);
      await expect(visitor.preview().getByRole('heading')).toBeVisible();
      return visitor;
    },
  },
  {
    name: 'the dialog to share',
    async show() {
      await open(ada, project);
      await ada.page.getByRole('button', { name: 'Share' }).click();
      await expect(ada.page.getByRole('dialog', { name: 'Share' })).toBeVisible();
      return ada;
    },
  },
  {
    name: 'the workspace’s menu',
    async show() {
      await open(ada, project);
      await ada.page.getByRole('button', { name: 'Menu', exact: true }).click();
      await expect(ada.page.getByRole('menu')).toBeVisible();
      return ada;
    },
  },
  {
    name: 'the account’s menu',
    async show() {
      await open(ada, '/work');
      await accountButton(ada, 'ada').click();
      await expect(ada.page.getByRole('menu')).toBeVisible();
      return ada;
    },
  },
];

for (const { name, known, show } of screens) {
  test(`${name} has no axe violations and fits 360 px`, async ({ browser }) => {
    const person = await show(browser);
    await expectFaultless(person);
    const complaints = person.complaints.filter((line) => !known?.test(line));
    expectQuiet(server, { ...person, complaints });
  });
}

test('detects a planted violation', async () => {
  await openOutbox(visitor, server);
  await visitor.page.evaluate(() => {
    const words = document.createElement('p');
    words.append('hard to read');
    words.style.color = 'rgb(128 128 128 / 0.5)';
    document.body.append(words, document.createElement('img'));
  });
  const faults = await findFaultsEverywhere(visitor.page);
  const [image, colors] = ['image-alt', 'color-contrast'].map((rule) =>
    faults.filter((fault) => fault.includes(rule)),
  );
  expect(image).toHaveLength(2);
  expect(colors).toHaveLength(4);
});

test('a project is created and saved from the home page with only the keyboard', async ({
  browser,
}) => {
  const { page, ...kay } = await newVisitor(browser, server);
  const { keyboard } = page;
  await page.goto(server.address);
  await tabTo(page, page.getByRole('link', { name: 'New project' }));
  await keyboard.press('Enter');
  await page.waitForURL(/\/new$/);
  await tabTo(page, page.getByRole('button', { name: 'HTML, CSS, JS' }));
  await keyboard.press('Enter');
  await page.waitForURL(/\/draft\//);
  await expect(kay.editor('index.html')).toBeVisible();
  await expect(page.getByRole('main')).toBeFocused();
  await tabTo(page, kay.editor('index.html'));
  await keyboard.press('ControlOrMeta+A');
  await keyboard.insertText('<h1>No pointer</h1>');
  await expect(kay.preview().getByRole('heading', { name: 'No pointer' })).toBeVisible();
  await keyboard.press('Escape');
  await tabTo(page, page.getByRole('button', { name: 'Run', exact: true }));
  await keyboard.press('ControlOrMeta+S');
  await page.waitForURL(/\/auth\/sign-up/);
  await expect(page.getByLabel('Email')).toBeFocused();
  await keyboard.insertText(getEmail('kay'));
  for (const [label, text] of [
    ['Username', 'kay'],
    ['Password', getPassword('kay')],
  ] as const) {
    await tabTo(page, page.getByLabel(label));
    await keyboard.insertText(text);
  }
  await keyboard.press('Enter');
  await page.waitForURL(/\/@kay\/[a-z0-9]{16}$/);
  await expect(kay.saveState()).toHaveText('Saved');
  await expect(kay.preview().getByRole('heading', { name: 'No pointer' })).toBeVisible();
  expectQuiet(server, { page, ...kay });
});

test('a tooltip lets clicks through, and closes when a dialog opens or gives the focus back', async () => {
  const { page } = visitor;
  await page.goto(server.address + project);
  await expect(visitor.editor('index.html')).toBeVisible();
  const tooltip = page.locator('[data-base-ui-portal]').getByText('Menu', { exact: true });
  const menu = page.getByRole('button', { name: 'Menu', exact: true });
  await menu.hover();
  await expect(tooltip).toBeVisible();
  // What is below the tooltip, where it covers most of it.
  const box = await tooltip.boundingBox();
  if (!box) throw new Error('the tooltip has no place');
  const covered = await page.evaluate(
    ({ x, y, width, height }) =>
      document.elementFromPoint(x + width / 2, y + height / 2)?.closest('[data-base-ui-portal]'),
    box,
  );
  expect(covered).toBeNull();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await expect(tooltip).toBeHidden();
  await menu.hover();
  await expect(tooltip).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(tooltip).toBeHidden();
  await page.mouse.move(700, 500);
  await menu.hover();
  await expect(tooltip).toBeVisible();
  await page.keyboard.press('F1');
  await expect(page.getByRole('dialog', { name: 'Commands' })).toBeVisible();
  await expect(tooltip).toBeHidden();
  await page.keyboard.press('Escape');
  await menu.click();
  await page.getByRole('menuitem', { name: 'Settings', exact: true }).click();
  await expect(page.getByRole('dialog', { name: 'Settings' })).toBeVisible();
  await page.mouse.move(700, 500);
  await page.keyboard.press('Escape');
  await expect(menu).toBeFocused();
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));
  await expect(tooltip).toBeHidden();
  // With the keyboard it still opens.
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Tab');
  await expect(tooltip).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(tooltip).toBeHidden();
  expectQuiet(server, visitor);
});

test('a phone switches between Code and Result by touch', async ({ browser }) => {
  const finn = await newVisitor(browser, server, {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  });
  await finn.page.goto(`${server.address}/new/html`);
  await finn.page.waitForURL(/\/draft\//);
  const result = finn.page.locator('iframe[title="Result"]');
  await finn.page.getByRole('tab', { name: 'Result' }).tap();
  await expect(result).toBeVisible();
  await expect(finn.editor('index.html')).toBeHidden();
  await finn.preview().getByRole('button').tap();
  await expect(finn.preview().getByRole('status')).toHaveText('1');
  await finn.page.getByRole('tab', { name: 'Code' }).tap();
  await expect(finn.editor('index.html')).toBeVisible();
  await expect(result).toBeHidden();
  await finn.editor('index.html').tap();
  await finn.page
    .getByRole('toolbar', { name: 'Editing keys' })
    .getByRole('button', { name: '<' })
    .tap();
  await expect(finn.editor('index.html')).toBeFocused();
  // Three file tabs fit.
  const strip = await finn.page.getByRole('tablist', { name: 'Open files' }).boundingBox();
  const tabs = finn.page.getByRole('tablist', { name: 'Open files' }).getByRole('tab');
  await expect(tabs).toHaveText(['index.html', 'style.css', 'script.js']);
  const last = await tabs.last().boundingBox();
  expect((last?.x ?? Infinity) + (last?.width ?? 0)).toBeLessThanOrEqual(
    (strip?.x ?? 0) + (strip?.width ?? 0),
  );
  await finn.page.getByRole('button', { name: 'More panels' }).tap();
  await finn.page.getByRole('menuitem', { name: 'Packages' }).tap();
  await expect(finn.page.getByRole('region', { name: 'Packages' })).toBeVisible();
  await finn.page.getByRole('button', { name: 'Close Packages panel' }).tap();
  // A phone has only one layout.
  await finn.page.getByRole('button', { name: 'Menu', exact: true }).tap();
  await expect(finn.page.getByRole('menuitemradio', { name: 'After a pause' })).toBeVisible();
  await expect(finn.page.getByRole('menuitemradio', { name: 'Stacked' })).toHaveCount(0);
  expectQuiet(server, finn);
});
