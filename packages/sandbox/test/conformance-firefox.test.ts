/**
 * A third of the conformance table in Firefox: all that is about stylesheets, a part of the rest. It
 * takes minutes, and runs where all is shown.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startRig, type Rig } from './rig/app-server.ts';
import { readProjects } from './rig/conformance.ts';
import { asDriven, startFirefox, type Firefox } from './rig/firefox.ts';
import { isOffered, showProject, type Path } from './rig/show-project.ts';
import { Workspace } from './rig/workspace.ts';

let firefox: Firefox;
let rig: Rig;
let workspace: Workspace;

beforeAll(async () => {
  [firefox, rig] = await Promise.all([startFirefox(), startRig()]);
  workspace = new Workspace(asDriven(await firefox.browser.newPage()), rig);
  await workspace.open();
});
afterAll(async () => {
  await firefox.close();
  await rig.close();
});

const table = readProjects();
const isStyled = ({ name }: { name: string }) => /^(?:sass|less|tailwind|css-modules)\//.test(name);
const others = table.filter((project) => !isStyled(project));
/** Each on one path, in turns, so that every language is on both. */
const chosen = [...table.filter(isStyled), ...others.filter((_, at) => at % 4 === 0)].map(
  (project, at) => {
    const turn: Path = at % 2 === 0 ? 'served' : 'portable';
    return {
      project,
      name: project.name,
      path: isOffered(project, turn) ? turn : 'served',
    } as const;
  },
);

it('is shown a third of the table', () => {
  expect(chosen.length).toBeGreaterThanOrEqual(table.length / 3);
});

it.each(chosen)('$name is seen on the $path path as it should be', ({ project, path }) =>
  showProject(workspace, project, path),
);
