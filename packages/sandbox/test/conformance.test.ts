import type { Browser } from '@playwright/test';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readProjects, sample } from './rig/conformance.ts';
import { startRig, type Rig } from './rig/app-server.ts';
import { startChromium } from './rig/chromium.ts';
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

it('has a hundred projects and more, of every language', () => {
  const areas = Map.groupBy(readProjects(), ({ name }) => name.split('/')[0]);
  expect([...areas.keys()].join(' ')).toBe(
    'assets css css-modules html javascript jsx less markdown sass svelte tailwind typescript vue',
  );
  expect(readProjects().length).toBeGreaterThanOrEqual(100);
});

const offeredOn = (path: Path) => readProjects().filter((project) => isOffered(project, path));

describe.each([
  { path: 'served', projects: offeredOn('served') },
  { path: 'portable', projects: sample(offeredOn('portable')) },
] as const)('on the $path path', ({ path, projects }) => {
  it.each(projects)('$name is seen as it should be', (project) =>
    showProject(workspace, project, path),
  );
});
