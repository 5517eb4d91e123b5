import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startRig, type Rig } from '../rig/app-server.ts';
import { startChromium } from '../rig/chromium.ts';
import { startFirefox } from '@vitrine/testing/firefox';
import { isWhole } from '../rig/transports.ts';
import { TestWorkspace, type DrivenPage } from '../rig/workspace.ts';
import type { Mistake } from './mistake.ts';
import { runningMistakes } from './running.ts';

/** Logs "loaded" once all initial scripts have run or failed. */
const page = `<!doctype html><script>onload = () => console.log('loaded')</script>`;
const main = `${page}<script type="module" src="main.js"></script>`;

/** Projects in which one broken file keeps others from running. */
const causes: Record<string, { files: Record<string, string>; edit?: Record<string, string> }> = {
  'an import of a module that does not compile': {
    files: {
      'index.html': main,
      'main.js': `import { a } from './a.js';\na;`,
      'a.js': 'export const a = ;',
    },
  },
  'an import of a module that re-exports it': {
    files: {
      'index.html': main,
      'main.js': `import { a } from './b.js';\na;`,
      'b.js': `export * from './a.js';`,
      'a.js': 'export const a = ;',
    },
  },
  'a page that imports it': {
    files: {
      'index.html': `${page}<script type="module">import { a } from './a.js'; a;</script>`,
      'a.js': 'export const a = ;',
    },
  },
  'an import() of it': {
    files: {
      'index.html': main,
      'main.js': `import('./a.js');`,
      'a.js': 'export const a = ;',
    },
  },
  'a new export of a module that no longer compiles': {
    files: {
      'index.html': main,
      'main.js': `import * as all from './a.js';\nconsole.log(Object.keys(all).join());`,
      'a.js': 'export const b = 1;',
    },
    edit: {
      'main.js': `import { a } from './a.js';\na;`,
      'a.js': 'export const a = ;',
    },
  },
};

interface Driven {
  page: DrivenPage;
  close(): Promise<void>;
}

const browsers: Record<'Chromium' | 'Firefox', () => Promise<Driven>> = {
  async Chromium() {
    const browser = await startChromium();
    const page = await (await browser.newContext()).newPage();
    return { page, close: () => browser.close() };
  },
  async Firefox() {
    const { browser, close } = await startFirefox();
    const page = await browser.newPage();
    const driven: DrivenPage = {
      goto: (address) => page.goto(address),
      evaluate: (script) => page.evaluate(script),
      frames: () => page.frames(),
    };
    return { page: driven, close };
  },
};

/** Expected diagnostic in each browser; locations differ. */
function expected(mistake: Mistake, name: keyof typeof browsers): Mistake {
  return name === 'Firefox' ? { ...mistake, ...mistake.firefox } : mistake;
}

const shownIn = isWhole ? (['Chromium', 'Firefox'] as const) : (['Chromium'] as const);

describe.each(shownIn)('in %s', (name) => {
  let driven: Driven;
  let rig: Rig;
  let workspace: TestWorkspace;

  // All mistakes run in one page, one project after the other.
  beforeAll(async () => {
    [driven, rig] = await Promise.all([browsers[name](), startRig()]);
    workspace = new TestWorkspace(driven.page, rig);
    await workspace.open();
  });
  // Runs after failed tests too, so that the next test starts with a clean page.
  afterEach(() => workspace.end());
  afterAll(async () => {
    await driven.close();
    await rig.close();
  });

  describe('a mistake that shows when the project runs', () => {
    const mistakes = runningMistakes.map((mistake) => expected(mistake, name));
    it.each(mistakes)('$name', async ({ files, location, message, severity, fix }) => {
      await workspace.startHere({ files });
      const { problems } = await workspace.seenUntil((seen) => seen.problems.length > 0);
      const [first] = problems;
      const at = first?.path === '' ? '' : `${first?.path}:${first?.line}:${first?.column}`;
      expect(`${at} ${first?.message}`).toBe(`${location} ${message}`);
      expect(first?.severity).toBe(severity);
      expect(first?.fixes?.[0]?.label).toBe(fix);
    });
  });

  it.each(Object.entries(causes))('reports only the cause: %s', async (_name, { files, edit }) => {
    await workspace.startHere({ files });
    await workspace.seenUntil(({ lines }) => JSON.stringify(lines).includes('"loaded"'));
    if (edit) await workspace.edit(edit);
    const { problems } = await workspace.seenUntil((seen) => seen.problems.length > 0);
    expect(problems.map(({ path, kind }) => `${path} ${kind}`)).toEqual(['a.js syntax']);
  });
});
