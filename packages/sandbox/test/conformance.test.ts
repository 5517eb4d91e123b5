import type { Browser } from '@playwright/test';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readProjects } from './rig/conformance.ts';
import { startRig, type Rig } from './rig/app-server.ts';
import { startChromium } from './rig/chromium.ts';
import { isWhole } from './rig/transports.ts';
import { isOffered, showProject, type Transport } from './rig/show-project.ts';
import { TestWorkspace } from './rig/workspace.ts';

let browser: Browser;
let rig: Rig;
let workspace: TestWorkspace;

beforeAll(async () => {
  [browser, rig] = await Promise.all([startChromium(), startRig()]);
  const page = await (await browser.newContext()).newPage();
  workspace = new TestWorkspace(page, rig);
  await workspace.open();
});
afterAll(async () => {
  await browser.close();
  await rig.close();
});

const table = readProjects();

it('has more than a hundred projects, in every language', () => {
  const areas = Map.groupBy(table, ({ name }) => name.split('/')[0]);
  expect([...areas.keys()].join(' ')).toBe(
    'assets css css-modules html javascript jsx less markdown sass svelte tailwind typescript vite vue',
  );
  expect(table.length).toBeGreaterThanOrEqual(100);
});

const offeredOn = (transport: Transport) =>
  table.filter((project) => isOffered(project, transport));
const srcdoc = offeredOn('srcdoc').filter(
  (project, at) => isWhole || at % 3 === 0 || !isOffered(project, 'isolated-origin'),
);
/** Each project runs with at least one transport; with `LONG`, all run with both. */
const served = offeredOn('isolated-origin').filter(
  (project) => isWhole || !srcdoc.includes(project),
);

describe.each([
  { transport: 'isolated-origin', projects: served },
  { transport: 'srcdoc', projects: srcdoc },
] as const)('with the $transport transport', ({ transport, projects }) => {
  it.each(projects)('$name renders as expected', (project) =>
    showProject(workspace, project, transport),
  );
});
