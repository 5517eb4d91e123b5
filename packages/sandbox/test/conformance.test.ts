import type { Browser } from '@playwright/test';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readProjects, type ConformanceProject } from './rig/conformance.ts';
import { startRig, type Rig } from './rig/app-server.ts';
import { startChromium } from './rig/chromium.ts';
import { poll, Workspace } from './rig/workspace.ts';

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

const projects = readProjects();

/** On the served path the server compiles, on the portable one the app's worker. */
describe.each(['served', 'portable'])('on the %s path', (path) => {
  const offered = projects.filter(({ seen }) => seen.paths?.includes(path) ?? true);

  it.each(offered)('$name is seen as it should be', async (project) => {
    await workspace.end();
    if (path === 'served') await startSaved(project);
    else await workspace.startHere({ files: project.files, isPortable: true });
    const { problems } = await expectSeen(project);
    const { problems: expected = [] } = project.seen;
    if (expected !== 'any')
      expect(problems.map((problem) => [problem.path, problem.line])).toEqual(expected);
  });
});

let revision = 0;

async function startSaved({ files }: ConformanceProject): Promise<void> {
  const slug = 'conforming';
  const saved = { id: slug, slug, revision: ++revision, isPrivate: false };
  rig.projects.set(slug, { ...saved, files: new Map(Object.entries(files)) });
  await workspace.startHere({ files, key: slug, served: { revision } });
}

/** Polls until the page shows what it must, or tells what it shows instead. */
async function expectSeen({ seen }: ConformanceProject) {
  const { text, value = {}, logs = [], problems = [] } = seen;
  const expressions = Object.keys(value);
  const script = `(async () => JSON.stringify([
    document.body.innerText.trim(),
    ${expressions.map((expression) => `await (${expression})`).join()}
  ]))()`;
  await poll(
    async () => {
      const told = await workspace.inResult(script);
      return JSON.parse(typeof told === 'string' ? told : '[]') as unknown[];
    },
    ([shown, ...values]) =>
      (text === undefined || shown === text) &&
      expressions.every((expression, at) => values[at] === value[expression]),
    JSON.stringify({ text, value }),
    5_000,
  );
  return workspace.seenUntil(
    ({ lines, problems: found }) =>
      logs.every((method, at) => lines[at]?.method === method) &&
      (problems === 'any' || found.length >= problems.length),
    'console lines and problems',
    5_000,
  );
}
