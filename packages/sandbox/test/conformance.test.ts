import type { Browser } from '@playwright/test';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readProjects } from './rig/conformance.ts';
import { startRig, type Rig } from './rig/app-server.ts';
import { startChromium } from './rig/chromium.ts';
import { isWhole } from './rig/paths.ts';
import { isOffered, showProject, type Path } from './rig/show-project.ts';
import { Workspace } from './rig/workspace.ts';

let browser: Browser;
let rig: Rig;
let workspace: Workspace;

beforeAll(async () => {
  [browser, rig] = await Promise.all([startChromium(), startRig()]);
  const page = await (await browser.newContext()).newPage();
  workspace = new Workspace(page, rig);
  await workspace.open();
});
afterAll(async () => {
  await browser.close();
  await rig.close();
});

const table = readProjects();

it('is of a hundred projects and more, in every language', () => {
  const areas = Map.groupBy(table, ({ name }) => name.split('/')[0]);
  expect([...areas.keys()].join(' ')).toBe(
    'assets css css-modules html javascript jsx less markdown sass svelte tailwind typescript vue',
  );
  expect(table.length).toBeGreaterThanOrEqual(100);
});

const offeredOn = (path: Path) => table.filter((project) => isOffered(project, path));
const portable = offeredOn('portable').filter(
  (project, at) => isWhole || at % 3 === 0 || !isOffered(project, 'served'),
);
/** Each on one path at least; all of it on both where the table is shown whole. */
const served = offeredOn('served').filter((project) => isWhole || !portable.includes(project));

describe.each([
  { path: 'served', projects: served },
  { path: 'portable', projects: portable },
] as const)('on the $path path', ({ path, projects }) => {
  it.each(projects)('$name is seen as it should be', (project) =>
    showProject(workspace, project, path),
  );
});
