/** Shows conformance projects in one page, one after the other. */
import { toTextFiles } from '@vitrine/project';
import { expect } from 'vitest';
import type { ConformanceProject } from './conformance.ts';
import { pollUntil, type TestWorkspace } from './workspace.ts';

export type Transport = 'isolated-origin' | 'srcdoc';

/** Whether a project supports a transport. */
export function isOffered({ seen }: ConformanceProject, transport: Transport): boolean {
  return seen.transports?.includes(transport) ?? true;
}

/**
 * Resolves when the page is in the expected state without unexpected diagnostics. With the isolated-origin transport the
 * server compiles, with the srcdoc transport the app's worker.
 */
export async function showProject(
  workspace: TestWorkspace,
  project: ConformanceProject,
  transport: Transport,
): Promise<void> {
  await workspace.end();
  if (transport === 'isolated-origin') await startSaved(workspace, project);
  else await workspace.startHere({ files: project.files, isSrcdoc: true });
  await expectShown(workspace, project);
  const { problems: expected = [] } = project.seen;
  const { problems } = await expectTold(workspace, project);
  if (expected !== 'any')
    expect(problems.map((problem) => [problem.path, problem.line])).toEqual(expected);
}

let revision = 0;

async function startSaved(workspace: TestWorkspace, { files }: ConformanceProject): Promise<void> {
  const slug = 'conforming';
  const saved = { id: slug, slug, revision: ++revision, isPrivate: false };
  workspace.rig.projects.set(slug, { ...saved, files: toTextFiles(Object.entries(files)) });
  await workspace.startHere({ files, key: slug, served: { revision } });
}

/** Polls until the page is in the expected state; fails with its actual state. */
async function expectShown(workspace: TestWorkspace, { seen }: ConformanceProject): Promise<void> {
  const { text, value = {} } = seen;
  const expressions = Object.keys(value);
  const script = `(async () => JSON.stringify([
    document.body.innerText.trim(),
    ${expressions.map((expression) => `await (${expression})`).join()}
  ]))()`;
  await pollUntil(
    async () => {
      const output = await workspace.inResult(script);
      return JSON.parse(typeof output === 'string' ? output : '[]') as unknown[];
    },
    ([shown, ...values]) =>
      (text === undefined || shown === text) &&
      expressions.every((expression, at) => values[at] === value[expression]),
    JSON.stringify({ text, value }),
    10_000,
  );
}

function expectTold(
  workspace: TestWorkspace,
  { seen: { logs = [], problems = [] } }: ConformanceProject,
) {
  return workspace.seenUntil(
    ({ lines, problems: found }) =>
      logs.every((method, at) => lines[at]?.method === method) &&
      (problems === 'any' || found.length >= problems.length),
    'console lines and problems',
    10_000,
  );
}
