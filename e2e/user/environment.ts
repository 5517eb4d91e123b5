/** Actions around the text: storage, accounts, other users, tabs and devices. */
import { newSignedInDevice, newVisitor, openAnotherTab, type TestUser } from '../rig/test-user.ts';
import { setProjectMember } from '../rig/session.ts';
import type { Action } from './action.ts';
import { becomeFork, editAny, visibilityMenuLabels, type PlannedEdit } from './model.ts';
import { Finding, readStored, takeComplaints } from './oracle.ts';
import { getFriend } from './people.ts';
import {
  findOpenFile,
  getProjectAddress,
  poll,
  readEditor,
  readSaveState,
  reload,
  signInAt,
  signOutAs,
  typeEdit,
  until,
  untilAtProject,
  untilSaved,
  untilOpen,
} from './user-page.ts';
import { getAppAddress, withAppAddress, getSlug, type World } from './world.ts';

/** Browser complaints about failed requests. */
const refused = /status of 40[0134]|not found|404/i;

export const environmentActions: readonly Action[] = [
  {
    name: 'reload',
    weight: 8,
    isStructural: true,
    plan:
      () =>
      ({ person }) =>
        reload(person),
  },
  {
    name: 'save',
    weight: 10,
    isStructural: true,
    plan(model) {
      if (model.kind !== 'draft') return undefined;
      model.kind = 'project';
      return async ({ person }) => {
        await person.page.getByRole('button', { name: 'Save', exact: true }).click();
        await untilAtProject(person);
      };
    },
  },
  {
    name: 'change who may see it',
    weight: 3,
    plan(model, choice) {
      const visibility = choice.of(
        visibilityMenuLabels.filter((each) => each !== model.visibility),
      );
      if (model.kind !== 'project' || visibility === undefined) return undefined;
      model.visibility = visibility;
      return async ({ person: { page } }) => {
        const field = page.getByRole('combobox', { name: 'Visibility' });
        await field.click();
        await page.getByRole('option', { name: visibility }).click();
        await until('the new visibility', async () =>
          ((await field.textContent()) ?? '').includes(visibility),
        );
      };
    },
  },
  {
    name: 'leave and return',
    weight: 3,
    isStructural: true,
    plan:
      () =>
      async ({ person }) => {
        await untilSaved(person);
        await person.page.getByRole('link', { name: 'Vitrine, home' }).click();
        await person.page.getByRole('link', { name: 'New project' }).first().waitFor();
        await person.page.goBack();
        await untilOpen(person);
      },
  },
  {
    name: 'close and reopen the browser',
    weight: 2,
    isStructural: true,
    plan:
      () =>
      async ({ profile }) => {
        const address = profile.person.page.url();
        await untilSaved(profile.person);
        await untilRunning(profile.person);
        await profile.reopen();
        await profile.person.page.goto(address);
        await untilOpen(profile.person);
      },
  },
  {
    name: 'edit in another tab',
    isChromium: true,
    weight: 3,
    isStructural: true,
    plan: (model, choice) => {
      const edit = editAny(model, choice);
      return (
        edit &&
        (async (world) => {
          const { person } = world;
          await untilSaved(person);
          const other = await openAnotherTab(person);
          await other.page.goto(person.page.url());
          await untilOpen(other);
          await editAndSave(world, other, edit);
          await other.page.close();
        })
      );
    },
  },
  {
    name: 'edit on another device',
    weight: 3,
    isStructural: true,
    plan: (model, choice) => {
      const edit = model.kind === 'project' ? editAny(model, choice) : undefined;
      return (
        edit &&
        (async (world) => {
          const other = await newSignedInDevice(
            world.rig.browser,
            withAppAddress(world.rig),
            world.username,
          );
          await useOtherDevice(world, other, () => editAndSave(world, other, edit));
        })
      );
    },
  },
  {
    name: 'have another person edit',
    weight: 3,
    isStructural: true,
    plan: (model, choice) => {
      const { kind, friendRole } = model;
      const mayEdit = kind === 'project' && friendRole !== 'Viewer';
      const edit = mayEdit ? editAny(model, choice) : undefined;
      return (
        edit &&
        (async (world) => {
          const [username, project] = [await getFriend(world), getSlug(world.person)];
          const isGuest = friendRole === undefined;
          if (isGuest) await setProjectMember(world.rig.server, { project, username }, 'editor');
          const other = await newSignedInDevice(
            world.rig.browser,
            withAppAddress(world.rig),
            username,
          );
          await useOtherDevice(world, other, () => editAndSave(world, other, edit));
          if (isGuest) await setProjectMember(world.rig.server, { project, username }, null);
        })
      );
    },
  },
  {
    name: 'fork',
    weight: 1,
    isStructural: true,
    plan(model) {
      if (model.kind !== 'project') return undefined;
      becomeFork(model);
      return async ({ person }) => {
        const before = person.page.url();
        await untilSaved(person);
        await person.page.getByRole('button', { name: 'Fork', exact: true }).click();
        await untilAtProject(person, before);
        await untilOpen(person);
      };
    },
  },
  {
    name: 'move to the trash and restore',
    weight: 1,
    isStructural: true,
    plan(model) {
      if (model.kind === 'draft') return undefined;
      return (world) => moveToTrashAndRestore(world);
    },
  },
  {
    name: 'sign out and in',
    weight: 2,
    isStructural: true,
    allows: refused,
    plan: () => async (world) => {
      const { person, username, rig } = world;
      const address = person.page.url();
      await untilSaved(person);
      await person.page.goto(`${getAppAddress(rig)}/work`);
      await signOutAs(person, username);
      await signInAgain(world, address);
    },
  },
  {
    name: 'lose the session',
    weight: 2,
    isStructural: true,
    allows: refused,
    plan: () => async (world) => {
      const { person } = world;
      const address = person.page.url();
      await untilSaved(person);
      await person.context.clearCookies();
      await person.page.reload();
      await person.page.getByText('Page not found').or(findOpenFile(person.page)).first().waitFor();
      await signInAgain(world, address);
    },
  },
];

/** Visitors and members can't open a project in the trash. */
async function moveToTrashAndRestore({ person, rig, model }: World): Promise<void> {
  const { page } = person;
  const address = getProjectAddress(person);
  await untilSaved(person);
  await page.goto(`${getAppAddress(rig)}/work`);
  const { pathname } = new URL(address);
  const item = page
    .getByRole('list', { name: 'Projects', exact: true })
    .getByRole('listitem')
    .filter({ has: page.locator(`a[href="${pathname}"]`) });
  await item.getByRole('button', { name: /^Actions for/ }).click();
  await page.getByRole('menuitem', { name: 'Move to trash' }).click();
  await item.waitFor({ state: 'detached' });
  const visitor = await newVisitor(rig.browser, rig.server);
  const response = await visitor.page.goto(address);
  await visitor.context.close();
  if (response?.status() !== 404)
    throw new Finding(
      'access',
      `a ${model.visibility} project in the trash is ${response?.status()}`,
    );
  await page
    .getByRole('navigation', { name: 'Your work' })
    .getByRole('link', { name: 'Trash' })
    .click();
  await page.getByRole('button', { name: /^Restore / }).click();
  await page.getByText('The trash is empty.').waitFor();
  await page.goto(address);
  await untilOpen(person);
}

async function signInAgain({ person, username, rig }: World, address: string): Promise<void> {
  // Signing out ends all sessions.
  rig.clients.delete(username);
  await signInAt(person, getAppAddress(rig), username);
  await person.page.goto(address);
  await untilOpen(person);
}

/**
 * A browser that was closed during a run's start doesn't run the project automatically next time.
 */
async function untilRunning({ page }: TestUser): Promise<void> {
  const marks = () => Object.keys(localStorage).filter((name) => name.startsWith('vitrine run '));
  await until('the run to count as alive', async () => (await page.evaluate(marks)).length === 0);
}

/** Edits elsewhere. Until the app has loaded, the save state doesn't count what is typed. */
async function editAndSave(world: World, person: TestUser, edit: PlannedEdit): Promise<void> {
  const { path } = edit;
  await typeEdit(person, edit);
  let stored: string | undefined;
  const isStored = async () => {
    stored = (await readStored(world)).get(path);
    return stored === world.model.files.get(path) || undefined;
  };
  if (!(await poll(isStored))) {
    const shown = await readEditor(person, path);
    const state = await readSaveState(person);
    throw new Finding('editor', `${path} (${state}) is\n${shown}\nand stored as\n${stored}`);
  }
  await untilSaved(person);
}

/** Opens the project on another device, and leaves without complaints. */
async function useOtherDevice(
  world: World,
  other: TestUser,
  work: () => Promise<void>,
): Promise<void> {
  await untilSaved(world.person);
  try {
    await other.page.goto(world.person.page.url());
    await untilOpen(other);
    await work();
    const complaints = takeComplaints(world, other);
    if (complaints.length > 0) throw new Finding('console', complaints.join('\n'));
  } finally {
    await other.context.close();
  }
}
