import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startRig, type Rig } from '../rig/app-server.ts';
import { startChromium } from '../rig/chromium.ts';
import { startFirefox } from '../rig/firefox.ts';
import { isWhole } from '../rig/paths.ts';
import { Workspace, type DrivenPage } from '../rig/workspace.ts';
import type { Mistake } from './mistake.ts';
import { runningMistakes } from './running.ts';

/** Says so once everything that it begins with has run, or failed. */
const page = `<!doctype html><script>onload = () => console.log('loaded')</script>`;
const main = `${page}<script type="module" src="main.js"></script>`;

/** One file that keeps others from running; by what is told of all of it. */
const causes: Record<string, { files: Record<string, string>; edit?: Record<string, string> }> = {
  'an import of a module that does not compile': {
    files: {
      'index.html': main,
      'main.js': `import { a } from './a.js';\na;`,
      'a.js': 'export const a = ;',
    },
  },
  'an import of a module that passes on one': {
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
  'a new export, of a module that does not compile any more': {
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

/** What each browser is to say of a mistake: where they place it differs. */
function expected(mistake: Mistake, name: keyof typeof browsers): Mistake {
  return name === 'Firefox' ? { ...mistake, ...mistake.firefox } : mistake;
}

const shownIn = isWhole ? (['Chromium', 'Firefox'] as const) : (['Chromium'] as const);

describe.each(shownIn)('in %s', (name) => {
  let driven: Driven;
  let rig: Rig;
  let workspace: Workspace;

  // One page for all of them: a project follows the other, as for somebody who opens many.
  beforeAll(async () => {
    [driven, rig] = await Promise.all([browsers[name](), startRig()]);
    workspace = new Workspace(driven.page, rig);
    await workspace.open();
  });
  // Also behind a test that failed: the next one has a page to itself.
  afterEach(() => workspace.end());
  afterAll(async () => {
    await driven.close();
    await rig.close();
  });

  describe('a mistake that shows up when the project runs', () => {
    const mistakes = runningMistakes.map((mistake) => expected(mistake, name));
    it.each(mistakes)('$name', async ({ files, place, sentence, severity, fix }) => {
      await workspace.startHere({ files });
      const { problems } = await workspace.seenUntil((seen) => seen.problems.length > 0);
      const [first] = problems;
      const at = first?.path === '' ? '' : `${first?.path}:${first?.line}:${first?.column}`;
      expect(`${at} ${first?.sentence}`).toBe(`${place} ${sentence}`);
      expect(first?.severity).toBe(severity);
      expect(first?.fixes?.[0]?.label).toBe(fix);
    });
  });

  it.each(Object.entries(causes))('only the cause is told: %s', async (_name, { files, edit }) => {
    await workspace.startHere({ files });
    await workspace.seenUntil(({ lines }) => JSON.stringify(lines).includes('"loaded"'));
    if (edit) await workspace.edit(edit);
    const { problems } = await workspace.seenUntil((seen) => seen.problems.length > 0);
    expect(problems.map(({ path, kind }) => `${path} ${kind}`)).toEqual(['a.js syntax']);
  });
});
