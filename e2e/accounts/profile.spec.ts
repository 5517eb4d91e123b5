import { expect } from '@playwright/test';
import {
  accountButton,
  expectQuiet,
  makePublic,
  newSignedInUser,
  newVisitor,
  rewrite,
  saveDraft,
  startDraft,
  expectComplaints,
  test,
  uniqueName,
} from '../rig/test-user.ts';

test('a profile shows and links to the public projects of its user', async ({
  browser,
  server,
}) => {
  const name = uniqueName('pat');
  const pat = await newSignedInUser(browser, server, name);
  await startDraft(pat, server, 'html');
  await saveDraft(pat);
  await startDraft(pat, server, 'empty');
  await rewrite(pat, 'index.html', '<h1>For everyone</h1>');
  await saveDraft(pat);
  await makePublic(pat);

  await pat.page.goto(`${server.address}/work`);
  await accountButton(pat, name).click();
  await pat.page.getByRole('menuitem', { name: 'Profile' }).click();
  await pat.page.waitForURL(`${server.address}/@${name}`);
  await expect(pat.page.getByRole('link', { name: 'Edit profile' })).toBeVisible();
  await pat.page.getByRole('link', { name: 'Edit profile' }).click();
  await pat.page.getByLabel('Display name').fill('Pat of the Playground');
  await pat.page.getByLabel('Bio').fill('Small things, often.');
  await pat.page.getByLabel('Website').fill('https://pat.example/about');
  await pat.page.getByRole('button', { name: 'Save profile' }).click();
  await expect(pat.page.getByText('Profile saved')).toBeVisible();

  const visitor = await newVisitor(browser, server);
  await visitor.page.goto(`${server.address}/@${name.toUpperCase()}`);
  await expect(visitor.page.getByRole('heading', { level: 1 })).toHaveText('Pat of the Playground');
  await expect(visitor.page.getByText('Small things, often.')).toBeVisible();
  await expect(visitor.page.getByRole('link', { name: 'pat.example' })).toHaveAttribute(
    'href',
    'https://pat.example/about',
  );
  await expect(visitor.page.getByRole('link', { name: 'Edit profile' })).toHaveCount(0);
  const projects = visitor.page.getByRole('list', { name: 'Public projects' });
  // The private one isn't listed, for its owner either.
  await expect(projects.getByRole('listitem')).toHaveCount(1);
  await projects.getByRole('link').click();
  await expect(visitor.preview().getByRole('heading', { name: 'For everyone' })).toBeVisible();
  expectQuiet(server, pat, visitor);
});

test('settings open at the profile, and an unknown username is not found', async ({
  browser,
  server,
}) => {
  const name = uniqueName('sol');
  const sol = await newSignedInUser(browser, server, name);
  await sol.page.goto(`${server.address}/@${name}`);
  await expect(sol.page.getByText('No public projects yet.')).toBeVisible();
  await accountButton(sol, name).click();
  await sol.page.getByRole('menuitem', { name: 'Settings' }).click();
  await sol.page.waitForURL(`${server.address}/settings/profile`);
  await sol.page.goto(`${server.address}/settings`);
  await expect(sol.page.getByLabel('Display name')).toBeVisible();
  expectQuiet(server, sol);
  for (const path of ['/@nobody-has-this', '/not-a-handle', '/@']) {
    const response = await sol.page.goto(server.address + path);
    expect(response?.status(), path).toBe(404);
  }
  await expectComplaints(sol, /status of 404/);
});
