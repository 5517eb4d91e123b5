/** Actions with other people: members of the project, and visitors. */
import { newSignedInDevice, newVisitor, type TestUser } from '../rig/test-user.ts';
import type { Action } from './action.ts';
import { getPublished, type Role } from './model.ts';
import { checkPreview, Finding, takeComplaints } from './oracle.ts';
import {
  enterText,
  closeShareDialog,
  getProjectAddress,
  openShareDialog,
  until,
  untilOpen,
  untilSaved,
} from './user-page.ts';
import { getAppAddress, makeUser, withAppAddress, type World } from './world.ts';

const roles = ['Viewer', 'Editor'] as const;

export const peopleActions: readonly Action[] = [
  {
    name: 'invite a friend',
    weight: 2,
    plan(model, choice) {
      if (model.kind === 'draft' || model.friendRole) return undefined;
      const role = choice.of(roles) ?? 'Viewer';
      model.friendRole = role;
      return (world) => inviteFriend(world, role);
    },
  },
  {
    name: "change the friend's role",
    weight: 2,
    plan(model) {
      if (!model.friendRole) return undefined;
      const role = model.friendRole === 'Viewer' ? 'Editor' : 'Viewer';
      model.friendRole = role;
      return async (world) => {
        const friend = await getFriend(world);
        const dialog = await openShareDialog(world.person);
        const field = dialog.getByRole('combobox', { name: `${friend}’s access` });
        await chooseRole(world.person, `${friend}’s access`, role);
        await until(
          'the new role',
          async () => (await field.textContent())?.includes(role) ?? false,
        );
        await closeShareDialog(world.person);
        await withFriend(world, (other) => expectAccess(world, other, role));
      };
    },
  },
  {
    name: 'remove the friend',
    weight: 2,
    plan(model) {
      if (!model.friendRole) return undefined;
      model.friendRole = undefined;
      return async (world) => {
        const friend = await getFriend(world);
        const { person } = world;
        const dialog = await openShareDialog(person);
        await dialog.getByRole('button', { name: `Actions for ${friend}` }).click();
        await person.page.getByRole('menuitem', { name: 'Remove from project' }).click();
        await person.page.getByRole('button', { name: 'Remove', exact: true }).click();
        const members = dialog.getByRole('list', { name: 'Members' }).getByRole('listitem');
        await until('the removal', async () => (await members.count()) === 1);
        await closeShareDialog(person);
        await withFriend(world, (other) => expectAccess(world, other, undefined));
      };
    },
  },
  {
    name: 'have the friend look',
    weight: 2,
    plan(model) {
      if (model.kind === 'draft') return undefined;
      const { friendRole } = model;
      return (world) => withFriend(world, (other) => expectAccess(world, other, friendRole));
    },
  },
  {
    name: 'have a visitor look',
    weight: 2,
    plan(model) {
      if (model.kind === 'draft') return undefined;
      return async (world) => {
        const visitor = await newVisitor(world.rig.browser, world.rig.server);
        await withoutComplaints(world, visitor, () => expectAccess(world, visitor, undefined));
      };
    },
  },
];

/** Username of the other user, who is created when first needed. */
export async function getFriend(world: World): Promise<string> {
  if (world.friend === undefined) {
    const friend = `${world.username}-friend`;
    await makeUser(world.rig, friend);
    world.friend = friend;
  }
  return world.friend;
}

async function inviteFriend(world: World, role: Role): Promise<void> {
  const friend = await getFriend(world);
  const dialog = await openShareDialog(world.person);
  await chooseRole(world.person, 'Role', role);
  const field = dialog.getByLabel('Username or email');
  await enterText(field, friend);
  await field.press('Enter');
  await dialog.getByText(`Invited @${friend}`).waitFor();
  await closeShareDialog(world.person);
  await withFriend(world, async (other) => {
    await other.page.goto(`${getAppAddress(world.rig)}/work`);
    const received = other.page.getByRole('region', { name: 'Invitations' });
    await received.getByRole('button', { name: /^Accept invitation to/ }).click();
    await other.page.waitForURL(getProjectAddress(world.person));
    await expectAccess(world, other, role);
  });
}

async function chooseRole({ page }: TestUser, label: string, role: Role): Promise<void> {
  await page.getByRole('combobox', { name: label, exact: true }).click();
  await page.getByRole('option', { name: role, exact: true }).click();
}

/** Signs the friend in on a device of theirs, and leaves without complaints. */
async function withFriend(world: World, work: (friend: TestUser) => Promise<void>): Promise<void> {
  const username = await getFriend(world);
  const { rig } = world;
  const friend = await newSignedInDevice(rig.browser, withAppAddress(rig), username);
  await withoutComplaints(world, friend, () => work(friend));
}

async function withoutComplaints(
  world: World,
  other: TestUser,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
    const complaints = takeComplaints(world, other);
    if (complaints.length > 0) throw new Finding('console', complaints.join('\n'));
  } finally {
    await other.context.close();
  }
}

/** Checks that another person can open the project if they may, and what they see of it. */
async function expectAccess(world: World, other: TestUser, role: Role | undefined): Promise<void> {
  const { model, person } = world;
  await untilSaved(person);
  const response = await other.page.goto(getProjectAddress(person));
  const expected = role || model.visibility !== 'Private' ? 200 : 404;
  if (response?.status() !== expected)
    throw new Finding(
      'access',
      `${role ?? 'no member'} gets ${response?.status()}, not ${expected}`,
    );
  if (expected === 404) {
    // The browser logs the response.
    other.complaints.splice(0);
    return;
  }
  await untilOpen(other);
  await checkPreview(world, other, role ? model : getPublished(model));
  if (!role) return;
  const dialog = await openShareDialog(other);
  const own = dialog.getByRole('list', { name: 'Members' }).getByRole('listitem').nth(1);
  const text = await own.textContent();
  if (!text?.includes(role)) throw new Finding('access', `the friend is ${text}, not ${role}`);
}
