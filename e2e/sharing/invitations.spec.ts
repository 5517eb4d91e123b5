import { expect, type Page } from '@playwright/test';
import { findViolations } from '../rig/axe.ts';
import {
  expectComplaints,
  expectQuiet,
  getEmail,
  newSignedInUser,
  newVisitor,
  openAnotherTab,
  openOutbox,
  retype,
  saveDraft,
  signUp,
  startDraft,
  tabTo,
  test,
  uniqueName,
  type TestUser,
} from '../rig/test-user.ts';
import { addProjects, confirmEmailAddress, expireInvitations, inviteUser } from '../rig/session.ts';

/** A user with a saved private project, on its page. */
async function openOwnProject(
  browser: Parameters<typeof newSignedInUser>[0],
  server: Parameters<typeof newSignedInUser>[1],
) {
  const name = uniqueName('ada');
  const ada = await newSignedInUser(browser, server, name);
  await startDraft(ada, server, 'html');
  await retype(ada, 'index.html', '<p>middle</p>');
  return { ada, name, address: await saveDraft(ada) };
}

const text = (person: TestUser) => person.editor('index.html');
const dialog = (page: Page) => page.getByRole('dialog', { name: 'Share' });
const notices = ({ page }: TestUser) => page.getByRole('region', { name: 'Notifications' });

async function openShare({ page }: TestUser): Promise<void> {
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  await expect(dialog(page).getByRole('list', { name: 'Members' })).toBeVisible();
}

async function chooseRole(page: Page, label: string, role: string): Promise<void> {
  await page.getByRole('combobox', { name: label }).click();
  await page.getByRole('option', { name: role, exact: true }).click();
}

async function createLink(ada: TestUser): Promise<string> {
  const another = dialog(ada.page).getByRole('button', { name: 'New link' });
  if (await another.isVisible()) await another.click();
  await dialog(ada.page).getByRole('button', { name: 'Create link' }).click();
  const field = dialog(ada.page).getByRole('textbox', { name: 'Invitation link' });
  await expect(field).toHaveValue(/\/invitations\/[\w-]{43}$/);
  return field.inputValue();
}

test(
  'a user invited by username accepts in Your work, edits with the owner, and is removed',
  { tag: '@journey' },
  async ({ browser, server }) => {
    const { ada, name, address } = await openOwnProject(browser, server);
    const benName = uniqueName('ben');
    const ben = await newSignedInUser(browser, server, benName);
    await openShare(ada);
    const field = dialog(ada.page).getByLabel('Username or email');
    await field.fill('nobody-here');
    await expect(dialog(ada.page).getByText('No user has this username.')).toBeVisible();
    await field.fill(`@${benName}`);
    await expect(dialog(ada.page).getByText(`(@${benName})`)).toBeVisible();
    expect(await findViolations(ada.page)).toEqual([]);
    await field.press('Enter');
    await expect(dialog(ada.page).getByText(`Invited @${benName}`)).toBeVisible();
    const pending = dialog(ada.page).getByRole('list', { name: 'Pending invitations' });
    await expect(pending.getByRole('listitem')).toHaveText(new RegExp(`@${benName}.*Editor`));
    // Inviting somebody again replaces the invitation.
    await field.fill(benName);
    const invited = ada.page.waitForResponse(/rpc\/invite_to_project/);
    await dialog(ada.page).getByRole('button', { name: 'Invite', exact: true }).click();
    await invited;
    await expect(pending.getByRole('listitem')).toHaveCount(1);

    await ben.page.goto(`${server.address}/work`);
    const received = ben.page.getByRole('region', { name: 'Invitations' });
    await expect(received).toContainText(`${name} invited you to edit “Untitled project”`);
    expect(await findViolations(ben.page, { within: 'main' })).toEqual([]);
    await received.getByRole('button', { name: /^Accept invitation to/ }).click();
    await ben.page.waitForURL(address);
    await expect(text(ben)).toHaveText('<p>middle</p>');
    // The owner's dialog follows.
    const members = dialog(ada.page).getByRole('list', { name: 'Members' });
    await expect(members.getByRole('listitem')).toHaveCount(2);
    await expect(pending).toBeHidden();
    await retype(ben, 'index.html', '<p>from ben</p>');
    await expect(ben.saveState()).toHaveText('Saved');
    await ada.page.keyboard.press('Escape');
    await expect(text(ada)).toHaveText('<p>from ben</p>');

    await openShare(ada);
    await chooseRole(ada.page, `${benName}’s access`, 'Viewer');
    await expect(notices(ben).getByText('You can no longer edit this project')).toBeVisible();
    const header = ben.page.getByRole('banner');
    await expect(header.getByText('Viewer', { exact: true })).toBeVisible();
    await expect(header.getByRole('link', { name })).toHaveAttribute('href', `/@${name}`);
    await openShare(ben);
    await expect(
      dialog(ben.page).getByRole('button', { name: 'Invite', exact: true }),
    ).toBeHidden();
    await expect(dialog(ben.page)).toContainText('Viewer');
    await ben.page.keyboard.press('Escape');
    await ada.page.getByRole('button', { name: `Actions for ${benName}` }).click();
    await ada.page.getByRole('menuitem', { name: 'Remove from project' }).click();
    await ada.page
      .getByRole('dialog', { name: `Remove ${benName}?` })
      .getByRole('button', { name: 'Remove' })
      .click();
    await expect(members.getByRole('listitem')).toHaveCount(1);
    await expect(notices(ben).getByText('You no longer have access to')).toBeVisible();
    await ben.page.goto(address);
    await expect(ben.page.getByText('Page not found')).toBeVisible();
    await expectComplaints(ben, /status of 40[34]/);
    expectQuiet(server, ada);
  },
);

test('someone without an account joins by a link, after signing up, until it is revoked', async ({
  browser,
  server,
}) => {
  const { ada, name, address } = await openOwnProject(browser, server);
  await openShare(ada);
  await chooseRole(ada.page, 'Link access', 'Viewer');
  const link = await createLink(ada);
  await expect(dialog(ada.page).getByText('joins as a viewer')).toBeVisible();
  await expect(dialog(ada.page).getByRole('list', { name: 'Pending invitations' })).toBeVisible();
  await ada.page.setViewportSize({ width: 1440, height: 900 });
  const box = await dialog(ada.page).boundingBox();
  expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(900);
  await expect(dialog(ada.page).getByText('Only people in this project can see it.')).toBeVisible();

  const guest = await newVisitor(browser, server);
  await guest.page.goto(link);
  await expect(guest.page.getByRole('heading', { level: 1 })).toHaveText(
    `${name} invited you to view “Untitled project”`,
  );
  expect(await findViolations(guest.page)).toEqual([]);
  await guest.page.getByRole('link', { name: 'Create an account' }).click();
  const guestName = uniqueName('guest');
  await signUp(guest, guestName);
  await guest.page.waitForURL(link);
  await guest.page.getByRole('button', { name: 'Accept' }).click();
  await guest.page.waitForURL(address);
  await expect(text(guest)).toHaveText('<p>middle</p>');
  await guest.page.goto(link);
  await expect(guest.page.getByText('You already have access')).toBeVisible();

  await dialog(ada.page)
    .getByRole('button', { name: /^Revoke invitation/ })
    .click();
  await expect(dialog(ada.page).getByText('Pending invitations')).toBeHidden();
  const late = await newSignedInUser(browser, server, uniqueName('late'));
  await late.page.goto(link);
  await expect(late.page.getByText('This invitation is no longer valid.')).toBeVisible();
  await late.page.goto(`${link}x`);
  await expect(late.page.getByText('Invitation not found.')).toBeVisible();
  expectQuiet(server, ada, guest, late);
});

test('an invitation by email is kept in the outbox, and works for that account alone', async ({
  browser,
  server,
}) => {
  const { ada, name, address } = await openOwnProject(browser, server);
  const cyName = uniqueName('cy');
  await openShare(ada);
  await dialog(ada.page).getByLabel('Username or email').fill(getEmail(cyName));
  await expect(dialog(ada.page).getByText('They’ll also need a code from')).toBeVisible();
  await dialog(ada.page).getByRole('button', { name: 'Invite', exact: true }).click();
  await expect(dialog(ada.page).getByText('isn’t set up to send email')).toBeVisible();
  const link = await dialog(ada.page)
    .getByRole('textbox', { name: 'Invitation link' })
    .inputValue();

  const cy = await newSignedInUser(browser, server, cyName);
  await openOutbox(cy, server);
  const mail = cy.page.getByRole('listitem').filter({ hasText: `To ${getEmail(cyName)}` });
  await expect(mail).toContainText(`${name} invited you to “Untitled project”`);
  await expect(mail).toContainText(link);
  const mallory = await newSignedInUser(browser, server, uniqueName('mallory'));
  await mallory.page.goto(link);
  await expect(
    mallory.page.getByText('This invitation is for another email address.'),
  ).toBeVisible();
  await cy.page.goto(link);
  await expect(cy.page.getByText('Verify your email address to accept')).toBeVisible();
  await confirmEmailAddress(server, getEmail(cyName));
  await cy.page.reload();
  await cy.page.getByRole('button', { name: 'Decline' }).click();
  await expect(notices(cy).getByText('Invitation declined')).toBeVisible();
  await cy.page.goto(link);
  await expect(cy.page.getByText('This invitation was declined.')).toBeVisible();
  await cy.page.goto(address);
  await expect(cy.page.getByText('Page not found')).toBeVisible();
  await expectComplaints(cy, /status of 404/);
  expectQuiet(server, ada, mallory);
});

test('ownership is transferred, and the old address leads to the new one', async ({
  browser,
  server,
}) => {
  const { ada, address } = await openOwnProject(browser, server);
  const benName = uniqueName('ben');
  const ben = await newSignedInUser(browser, server, benName);
  await openShare(ada);
  const link = await createLink(ada);
  await ben.page.goto(link);
  await ben.page.getByRole('button', { name: 'Accept' }).click();
  await ben.page.waitForURL(address);
  await ada.page.getByRole('button', { name: `Actions for ${benName}` }).click();
  await ada.page.getByRole('menuitem', { name: 'Transfer ownership…' }).click();
  const asked = ada.page.getByRole('dialog', { name: 'Transfer “Untitled project”?' });
  await asked.getByRole('button', { name: 'Offer ownership' }).click();
  await expect(dialog(ada.page)).toContainText('Offered ownership');
  await ada.page.keyboard.press('Escape');

  await ben.page.goto(`${server.address}/work`);
  await ben.page.getByRole('button', { name: /^Accept ownership of/ }).click();
  const newAddress = address.replace(/@[^/]+/, `@${benName}`);
  await ben.page.waitForURL(newAddress);
  await expect(ben.page.getByRole('combobox', { name: 'Visibility' })).toBeVisible();
  await expect(notices(ada).getByText('You transferred this project')).toBeVisible();
  await ada.page.waitForURL(newAddress);
  await expect(ada.page.getByRole('combobox', { name: 'Visibility' })).toBeHidden();
  await retype(ada, 'index.html', '<p>still mine to edit</p>');
  await expect(text(ben)).toHaveText('<p>still mine to edit</p>');
  await ada.page.goto(address);
  await ada.page.waitForURL(newAddress);

  await openShare(ada);
  await dialog(ada.page).getByRole('button', { name: 'Leave project' }).click();
  await ada.page
    .getByRole('dialog', { name: 'Leave' })
    .getByRole('button', { name: 'Leave' })
    .click();
  await ada.page.waitForURL(`${server.address}/work`);
  await expect(notices(ada).getByText('You left “Untitled project”')).toBeVisible();
  expectQuiet(server, ada, ben);
});

test('inviting, changing a role and revoking work by keyboard alone, and at 390 px', async ({
  browser,
  server,
}) => {
  const { ada } = await openOwnProject(browser, server);
  const benName = uniqueName('ben');
  const ben = await newSignedInUser(browser, server, benName);
  const { page } = ada;
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole('button', { name: 'Share', exact: true }).focus();
  await page.keyboard.press('Enter');
  await expect(dialog(page).getByRole('list', { name: 'Members' })).toBeVisible();
  await tabTo(page, dialog(page).getByLabel('Username or email'));
  await page.keyboard.type(benName);
  await tabTo(page, dialog(page).getByRole('combobox', { name: 'Role' }));
  await page.keyboard.press('Enter');
  await expect(page.getByRole('option', { name: 'Editor' })).toBeFocused();
  await page.keyboard.press('ArrowUp');
  await expect(page.getByRole('option', { name: 'Viewer' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(dialog(page).getByRole('combobox', { name: 'Role' })).toContainText('Viewer');
  await tabTo(page, dialog(page).getByRole('button', { name: 'Invite', exact: true }));
  await page.keyboard.press('Enter');
  await expect(dialog(page).getByText(`Invited @${benName}`)).toBeVisible();
  const width = await dialog(page).evaluate((element) => element.scrollWidth - element.clientWidth);
  expect(width).toBe(0);
  expect(await findViolations(page)).toEqual([]);
  await tabTo(page, dialog(page).getByRole('button', { name: `Revoke invitation: @${benName}` }));
  await page.keyboard.press('Enter');
  await expect(dialog(page).getByText('Pending invitations')).toBeHidden();
  await expect(notices(ada).getByText('Invitation revoked')).toBeVisible();
  await ben.page.goto(`${server.address}/work`);
  await expect(ben.page.getByRole('heading', { name: 'Your work' })).toBeVisible();
  await expect(ben.page.getByRole('region', { name: 'Invitations' })).toBeHidden();
  expectQuiet(server, ada, ben);
});

test('an invitation that ends while its page is open says so, and a press twice joins once', async ({
  browser,
  server,
}) => {
  const { ada, address } = await openOwnProject(browser, server);
  await openShare(ada);
  const revoked = await createLink(ada);
  const ben = await newSignedInUser(browser, server, uniqueName('ben'));
  await ben.page.goto(revoked);
  await expect(ben.page.getByRole('button', { name: 'Accept' })).toBeVisible();
  await dialog(ada.page)
    .getByRole('button', { name: /^Revoke invitation/ })
    .click();
  await expect(dialog(ada.page).getByText('Pending invitations')).toBeHidden();
  await ben.page.getByRole('button', { name: 'Accept' }).click();
  await expect(ben.page.getByRole('alert')).toContainText('This invitation is no longer valid.');
  await expectComplaints(ben, /status of 4\d\d/);

  const link = await createLink(ada);
  await expireInvitations(server, address.slice(-16));
  await ben.page.goto(link);
  await expect(ben.page.getByRole('heading', { level: 1 })).toHaveText(
    'This invitation has expired.',
  );
  await expect(ben.page.getByRole('button', { name: 'Accept' })).toHaveCount(0);

  const valid = await createLink(ada);
  await ben.page.goto(valid);
  await ben.context.setOffline(true);
  await ben.page.getByRole('button', { name: 'Accept' }).click();
  await expect(ben.page.getByRole('alert')).toContainText('Can’t reach the server.');
  await ben.context.setOffline(false);
  await ben.page.getByRole('button', { name: 'Accept' }).dblclick();
  await ben.page.waitForURL(address);
  await expect(text(ben)).toHaveText('<p>middle</p>');
  await expect(
    dialog(ada.page).getByRole('list', { name: 'Members' }).getByRole('listitem'),
  ).toHaveCount(2);
  await expectComplaints(ben, /ERR_INTERNET_DISCONNECTED|Failed to fetch/);
  expectQuiet(server, ada, ben);
});

test('an invitation declined in one tab is gone in the other, and names are shown in every script', async ({
  browser,
  server,
}) => {
  const [name, benName] = [uniqueName('ada'), uniqueName('ben')];
  const ada = await newSignedInUser(browser, server, name);
  const ben = await newSignedInUser(browser, server, benName);
  await ada.page.goto(`${server.address}/settings/profile`);
  await ada.page.getByLabel('Display name').fill('ألف 李 Ζωή 👩‍🚀');
  await ada.page.getByRole('button', { name: 'Save profile' }).click();
  await expect(ada.page.getByText('Profile saved')).toBeVisible();
  const titles = ['שלום!', '你好 <b>'];
  await addProjects(
    server,
    getEmail(name),
    titles.map((title) => ({ title })),
  );
  for (const title of titles)
    await inviteUser(server, getEmail(name), { title, username: benName });
  const other = await openAnotherTab(ben);
  for (const { page } of [ben, other]) {
    await page.goto(`${server.address}/work`);
    const received = page.getByRole('region', { name: 'Invitations' });
    for (const title of titles)
      await expect(received).toContainText(`ألف 李 Ζωή 👩‍🚀 invited you to edit “${title}”`);
  }
  const decline = (page: Page) =>
    page.getByRole('button', { name: 'Decline invitation to שלום!', exact: true });
  await decline(other.page).click();
  await expect(decline(other.page)).toHaveCount(0);
  await decline(ben.page).click();
  await expect(notices(ben).getByText('Invitation declined')).toBeVisible();
  await expect(decline(ben.page)).toHaveCount(0);
  expectQuiet(server, ada, ben);
});
