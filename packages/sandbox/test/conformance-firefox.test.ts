/**
 * Runs a third of the conformance projects in Firefox: all about stylesheets and a part of the others. It
 * takes minutes, so it only runs with `LONG`.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startRig, type Rig } from './rig/app-server.ts';
import { readProjects } from './rig/conformance.ts';
import { startFirefox, type Firefox } from '@vitrine/testing/firefox';
import { isOffered, showProject, type Transport } from './rig/show-project.ts';
import { asDriven, TestWorkspace } from './rig/workspace.ts';

let firefox: Firefox;
let rig: Rig;
let workspace: TestWorkspace;

beforeAll(async () => {
  [firefox, rig] = await Promise.all([startFirefox(), startRig()]);
  workspace = new TestWorkspace(asDriven(await firefox.browser.newPage()), rig);
  await workspace.open();
});
afterAll(async () => {
  await firefox.close();
  await rig.close();
});

const table = readProjects();
const isStyled = ({ name }: { name: string }) => /^(?:sass|less|tailwind|css-modules)\//.test(name);
const others = table.filter((project) => !isStyled(project));
/** Projects with alternating transports, so that every language runs with both. */
const chosen = [...table.filter(isStyled), ...others.filter((_, at) => at % 4 === 0)].map(
  (project, at) => {
    const turn: Transport = at % 2 === 0 ? 'isolated-origin' : 'srcdoc';
    return {
      project,
      name: project.name,
      transport: isOffered(project, turn) ? turn : 'isolated-origin',
    } as const;
  },
);

it('runs a third of the projects', () => {
  expect(chosen.length).toBeGreaterThanOrEqual(table.length / 3);
});

it.each(chosen)('$name renders as expected (transport: $transport)', ({ project, transport }) =>
  showProject(workspace, project, transport),
);
