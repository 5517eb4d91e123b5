/**
 * WebKit runs the host's contract tests (rig/contract.ts) and a third of the conformance projects, with the
 * srcdoc transport, which the app uses there. It takes minutes, so it only runs with `LONG`.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startRig, type Rig } from './rig/app-server.ts';
import { readProjects } from './rig/conformance.ts';
import { testContract } from './rig/contract.ts';
import { isOffered, showProject } from './rig/show-project.ts';
import { hasWebKit, startWebKit, type WebKit } from '@vitrine/testing/webkit';
import { TestWorkspace } from './rig/workspace.ts';

describe.runIf(hasWebKit)('WebKit', () => {
  let webkit: WebKit;
  let rig: Rig;
  let workspace: TestWorkspace;
  let count = 0;

  // All tests share one page, as in Chromium: rig/chromium.ts.
  beforeAll(async () => {
    [webkit, rig] = await Promise.all([startWebKit(), startRig()]);
    workspace = new TestWorkspace(webkit.page, rig);
    workspace.keepsPage = true;
    // The user agent of a browser with the isolated-origin transport: the app doesn’t use it in WebKit, because its previews share
    // the app’s process, but it works.
    workspace.userAgent = 'Chrome/156.0.0.0';
    await workspace.open();
  });
  afterAll(async () => {
    await webkit.close();
    await rig.close();
  });
  beforeEach(() => {
    workspace.key = `draft--t${++count}`;
  });
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') await workspace.open();
    else await workspace.end();
  });

  testContract({
    get workspace() {
      return workspace;
    },
    async type(text) {
      await webkit.page.type(text);
    },
    isWebKit: true,
  });

  it('ends an infinite loop at its line, and a fix runs', async () => {
    await workspace.run({
      files: {
        'index.html': '<!doctype html><title>One</title><script src="a.js"></script>',
        'a.js': '1',
      },
      isSrcdoc: true,
      sharesProcess: true,
    });
    await workspace.edit({ 'a.js': '\nfor (;;);' });
    const { problems } = await workspace.seenUntil((seen) => seen.problems.length > 0);
    expect(problems[0]).toMatchObject({ path: 'a.js', line: 2 });
    await workspace.edit({ 'a.js': 'document.title = "back"' });
    await workspace.untilInResult('document.title', (title) => title === 'back');
  });

  const projects = readProjects()
    .filter((project) => isOffered(project, 'srcdoc'))
    .filter((_, at) => at % 3 === 0);
  it.each(projects)('$name renders as expected', (project) =>
    showProject(workspace, project, 'srcdoc'),
  );
});
