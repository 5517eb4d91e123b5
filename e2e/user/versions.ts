/** Actions on versions: saving, restoring, comparing, publishing, forking and looking at one. */
import type { Locator } from '@playwright/test';
import { newVisitor, type TestUser } from '../rig/test-user.ts';
import type { Action } from './action.ts';
import {
  addVersion,
  becomeFork,
  copyFiles,
  findDifferences,
  getContents,
  isChanged,
  restoreFiles,
  type Model,
  type ModelFiles,
  type ModelVersion,
  type SeededChoice,
} from './model.ts';
import { checkMarks, Finding } from './oracle.ts';
import {
  enterText,
  closeShareDialog,
  getProjectAddress,
  openShareDialog,
  poll,
  showPanel,
  until,
  untilAtProject,
  untilOpen,
  untilSaved,
} from './user-page.ts';
import type { World } from './world.ts';

export const versionActions: readonly Action[] = [
  {
    name: 'save a version',
    weight: 4,
    plan(model) {
      if (model.kind === 'draft') return undefined;
      const message = `Robin ${++model.edits}`;
      addVersion(model, 'named', message);
      return async (world) => {
        const history = await openHistory(world);
        await history.getByRole('button', { name: 'Save version…' }).click();
        const field = history.getByRole('textbox', { name: 'What changed?' });
        await enterText(field, message);
        await field.press('Enter');
        await field.waitFor({ state: 'detached' });
        await untilListed(world);
      };
    },
  },
  {
    name: 'restore a version',
    weight: 3,
    isStructural: true,
    plan(model, choice) {
      const chosen = chooseVersion(model, choice, (version) => isChanged(model, version));
      if (!chosen) return undefined;
      const { number, version } = chosen;
      const present = copyFiles(model);
      addVersion(model, 'restore');
      restoreFiles(model, version);
      addVersion(model, 'named', `Restored version ${number}`);
      const undoes = choice.number(4) === 0;
      if (undoes) restoreFiles(model, present);
      return async (world) => {
        await restore(world, number);
        // Before the toast is gone.
        if (undoes) await undoRestore(world, number);
        await untilListed(world);
      };
    },
  },
  {
    name: 'compare versions',
    weight: 2,
    plan(model, choice) {
      const chosen = chooseVersion(model, choice);
      return chosen && ((world) => compare(world, chosen));
    },
  },
  {
    name: 'publish',
    weight: 2,
    plan(model) {
      const isSame = (version: ModelFiles | undefined) => version && !isChanged(model, version);
      const before = model.published;
      if (model.kind === 'draft' || isSame(model.versions[(before ?? 0) - 1])) return undefined;
      addVersion(model, 'publish');
      model.published = model.versions.length;
      const newest = model.versions.at(-1);
      if (newest) newest.wasPublished = true;
      return (world) =>
        changePublishing(
          world,
          before === undefined ? 'Publish version' : 'Publish changes',
          `Published: version ${model.published} · Up to date`,
        );
    },
  },
  {
    name: 'unpublish',
    weight: 1,
    plan(model) {
      if (model.published === undefined) return undefined;
      model.published = undefined;
      return (world) => changePublishing(world, 'Unpublish', 'Not published');
    },
  },
  {
    name: 'fork a version',
    weight: 1,
    isStructural: true,
    plan(model, choice) {
      const chosen = chooseVersion(model, choice);
      if (!chosen) return undefined;
      restoreFiles(model, chosen.version);
      becomeFork(model);
      return async (world) => {
        const { person } = world;
        const before = getProjectAddress(person);
        await untilSaved(person);
        const row = await expandVersion(await openHistory(world), chosen.number);
        await row.getByRole('button', { name: 'Fork from here' }).click();
        await untilAtProject(person, before);
        await untilOpen(person);
      };
    },
  },
  {
    name: 'look at a version',
    weight: 2,
    plan(model, choice) {
      const chosen = chooseVersion(model, choice);
      return chosen && ((world) => lookAtVersion(world, world.person, chosen));
    },
  },
  {
    name: 'have a visitor look at a version',
    weight: 1,
    plan(model, choice) {
      const chosen = chooseVersion(model, choice);
      if (!chosen) return undefined;
      const { published, visibility } = model;
      const { number, version } = chosen;
      const isVisible =
        visibility !== 'Private' &&
        (version.reason === 'named' || version.wasPublished) &&
        number <= (published ?? Infinity);
      return async (world) => {
        const visitor = await newVisitor(world.rig.browser, world.rig.server);
        try {
          if (isVisible) await lookAtVersion(world, visitor, chosen);
          else await expectNoVersion(world, visitor, number);
        } finally {
          await visitor.context.close();
        }
      };
    },
  },
];

interface Numbered {
  readonly number: number;
  readonly version: ModelVersion;
}

/** Length of the list of versions before more are loaded. */
const listedVersions = 20;

function chooseVersion(
  { kind, versions }: Model,
  choice: SeededChoice,
  isPossible: (version: ModelVersion) => boolean = () => true,
): Numbered | undefined {
  if (kind === 'draft') return undefined;
  const numbered = versions.map((version, index) => ({ number: index + 1, version }));
  return choice.of(numbered.slice(-listedVersions).filter(({ version }) => isPossible(version)));
}

async function openHistory({ person }: World): Promise<Locator> {
  await showPanel(person, 'History');
  const panel = person.page.getByRole('region', { name: 'History' });
  await panel.getByRole('button', { name: 'Save version…' }).waitFor();
  return panel;
}

/** Waits until the open list of versions is that of the model. */
async function untilListed({ person: { page }, model }: World): Promise<void> {
  const expected = model.versions.map((_, index) => `Version ${index + 1}`).toReversed();
  const rows = page.getByRole('list', { name: 'Versions' }).getByRole('listitem');
  let found: string[] = [];
  const isRight = async () => {
    found = await rows.evaluateAll((all) => all.flatMap((row) => row.ariaLabel ?? []));
    const visible = found.filter((label) => label.startsWith('Version '));
    return visible.join() === expected.slice(0, listedVersions).join() || undefined;
  };
  if (await poll(isRight)) return;
  throw new Finding('versions', `it lists ${found.join(', ')} instead of ${expected.join(', ')}`);
}

/** Opens the details of a version in the list. */
async function expandVersion(panel: Locator, number: number): Promise<Locator> {
  const row = panel.getByRole('listitem', { name: `Version ${number}`, exact: true });
  const summary = row.getByRole('button').first();
  if ((await summary.getAttribute('aria-expanded')) !== 'true') await summary.click();
  return row;
}

async function restore(world: World, number: number): Promise<void> {
  const { page } = world.person;
  const row = await expandVersion(await openHistory(world), number);
  await row.getByRole('button', { name: 'Restore', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: `Restore version ${number}?` });
  await dialog.getByRole('button', { name: 'Restore' }).click();
  await dialog.waitFor({ state: 'detached' });
}

async function undoRestore({ person: { page } }: World, number: number): Promise<void> {
  const toast = page
    .getByRole('dialog')
    .filter({ hasText: `Restored version ${number}` })
    .first();
  await toast.getByRole('button', { name: 'Undo' }).click();
}

async function compare(world: World, { number, version }: Numbered): Promise<void> {
  const { person, model } = world;
  const panel = await openHistory(world);
  const row = await expandVersion(panel, number);
  await row.getByRole('button', { name: 'Compare' }).click();
  const { length } = findDifferences(getContents(version), getContents(model));
  const summary =
    length === 0 ? 'No differences.' : length === 1 ? '1 file differs' : `${length} files differ`;
  await panel.getByText(summary, { exact: true }).waitFor();
  await panel.getByRole('button', { name: 'Compare previews' }).click();
  await checkMarks(person, version, `Result of version ${number}`);
  await checkMarks(person, model, 'Result of current version');
  const dialog = person.page.getByRole('dialog', { name: 'Compare previews' });
  await dialog.getByRole('button', { name: 'Close' }).click();
  await dialog.waitFor({ state: 'detached' });
  await panel.getByRole('button', { name: 'All versions' }).click();
}

async function changePublishing({ person }: World, button: string, state: string): Promise<void> {
  const dialog = await openShareDialog(person);
  await dialog.getByRole('button', { name: button, exact: true }).click();
  const shown = dialog.getByRole('status', { name: 'Publishing state' });
  await until(`“${state}”`, async () => (await shown.textContent()) === state);
  await closeShareDialog(person);
}

/** Opens a version's page, and returns to where the person was. */
async function lookAtVersion(
  world: World,
  { page, ...person }: TestUser,
  { number, version }: Numbered,
): Promise<void> {
  const address = getProjectAddress(world.person);
  await untilSaved(world.person);
  await page.goto(`${address}/v/${number}`);
  const links = page.getByRole('navigation', { name: 'Files' }).getByRole('link');
  await links.first().waitFor();
  const paths = (await links.allTextContents()).toSorted().join(', ');
  const expected = [...getContents(version).keys()].toSorted().join(', ');
  if (paths !== expected) throw new Finding('versions', `it has ${paths} instead of ${expected}`);
  await checkMarks({ page, ...person }, version, `Result of version ${number}`);
  if (page !== world.person.page) return;
  await page.goto(address);
  await untilOpen(world.person);
}

async function expectNoVersion(world: World, { page }: TestUser, number: number): Promise<void> {
  const response = await page.goto(`${getProjectAddress(world.person)}/v/${number}`);
  if (response?.status() !== 404)
    throw new Finding('access', `a visitor gets ${response?.status()} for version ${number}`);
}
