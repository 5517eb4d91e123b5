import { describe, expect, it } from 'vitest';
import { setUpChromium } from './rig/chromium.ts';
import { drive, findTest, outline } from './tests/drive.ts';
import { interfaceProject, wantedOfInterface } from './tests/interface.ts';

const at = setUpChromium({ sharesPage: true });

const typed = `import { expect, it } from 'vitest';
import { sum } from './sum';

interface Pair { a: number; b: number }
const pair: Pair = { a: 1, b: 2 };

it('adds', () => {
  console.log('adding', pair);
  expect({ sum: sum(pair.a, pair.b) }).toEqual({ sum: 4 });
});
`;
const sum = `export type Sum = number;

export function sum(a: number, b: number): Sum {
  if (Number.isNaN(a)) throw new TypeError('no number');
  return a + b;
}
`;

for (const isSrcdoc of [false, true]) {
  describe(
    isSrcdoc ? 'tests with the srcdoc transport' : 'tests with the isolated-origin transport',
    () => {
      const tests = drive(() => at.workspace, { isSrcdoc });

      it('have the interface of Vitest', async () => {
        await tests.start(interfaceProject);
        expect(outline(await tests.finished())).toEqual(wantedOfInterface);
      });

      it('report the source location, the diff and the log of a failure', async () => {
        const thrower = `import { it } from 'vitest';\nimport { sum } from './sum';\ninterface Unused {}\nit('throws', () => void sum(NaN, 1));\n`;
        await tests.start({ 'sum.ts': sum, 'sum.test.ts': typed, 'throw.test.ts': thrower });
        const report = await tests.finished();
        const { failures, location, log } = findTest(report, 'adds');
        expect(location).toMatchObject({ path: 'sum.test.ts', line: 7 });
        expect(failures[0]?.message).toBe('expected { sum: 3 } to deeply equal { sum: 4 }');
        expect(failures[0]?.diff).toContain('-   "sum": 4,\n+   "sum": 3,');
        expect(failures[0]?.stack).toEqual([{ path: 'sum.test.ts', line: 9, column: 40 }]);
        expect(log).toMatchObject([{ method: 'log', path: 'sum.test.ts', line: 8 }]);
        const thrown = findTest(report, 'throws').failures[0];
        expect(thrown?.message).toBe('TypeError: no number');
        expect(thrown?.stack).toMatchObject([
          { path: 'sum.ts', line: 4 },
          { path: 'throw.test.ts', line: 4 },
        ]);
      });

      it('report a wrong import name with its location', async () => {
        await tests.start({
          'sum.ts': sum,
          'direct.test.ts': `import { it } from 'vitest';\nimport { sumOf } from './sum';\nit('adds', () => sumOf(1, 2));\n`,
          'mean.ts': `import plus from './sum';\nexport const mean = (a: number, b: number) => plus(a, b) / 2;\n`,
          'within.test.ts': `import { it } from 'vitest';\nimport { mean } from './mean';\nit('halves', () => mean(1, 2));\n`,
        });
        const { files } = await tests.finished();
        const failures = files.map(({ path, failures: [first] }) => [
          path,
          first?.message,
          first?.stack,
        ]);
        expect(failures).toEqual([
          [
            'direct.test.ts',
            'sum.ts has no export “sumOf”. It exports “sum”.',
            [{ path: 'direct.test.ts', line: 2, column: 10 }],
          ],
          [
            'within.test.ts',
            'sum.ts has no default export. It exports “sum”, which is imported with braces.',
            [{ path: 'mean.ts', line: 1, column: 8 }],
          ],
        ]);
      });

      it('that never end are aborted, and the next file runs', async () => {
        await tests.start({
          'a.test.js': `it('is first', () => undefined); it('loops', () => { for (;;); }); it('is last', () => undefined);`,
          'b.test.js': `it('is there', () => undefined);`,
        });
        expect(outline(await tests.finished(30_000))).toEqual([
          'a.test.js > is first: passed',
          'a.test.js > loops: failed',
          'a.test.js > loops! The test didn’t finish within 5 seconds.',
          'a.test.js > is last: skipped',
          'b.test.js > is there: passed',
        ]);
        await at.workspace.reach('running');
        await at.workspace.untilInResult('document.title', (title) => title === 'Page');
      });

      it('run again if an import has changed, while the page keeps running', async () => {
        const test = (of: string) =>
          `import { expect, it } from 'vitest'; import { one } from './${of}'; it('${of}', () => expect(one).toBe(1));`;
        await tests.start({
          'a.ts': `export { one } from './deep';`,
          'deep.ts': 'export const one: number = 1;',
          'b.js': 'export const one = 1;',
          'a.test.ts': test('a'),
          'b.test.ts': test('b'),
        });
        await tests.finished();
        const ran = await at.workspace.page.evaluate(`(() => {
        window.ran = new Set();
        setInterval(() => rig.seen.report.files.forEach(({ path, state }) => state === 'running' && ran.add(path)), 1);
      })()`);
        expect(ran).toBeUndefined();
        await at.workspace.edit({ 'deep.ts': 'export const one: number = 2;' });
        const report = await tests.reportWhere(
          (seen) => !seen.isRunning && seen.files.some(({ state }) => state === 'failed'),
          'a failure',
        );
        expect(outline(report)).toEqual([
          'a.test.ts > a: failed',
          'a.test.ts > a! expected 2 to be 1 // Object.is equality',
          'b.test.ts > b: passed',
        ]);
        expect(await at.workspace.page.evaluate('[...ran].join()')).toBe('a.test.ts');
        // A change that only tests use doesn't update the page.
        if (!isSrcdoc) {
          const { lines } = await at.workspace.seen();
          expect(lines).toHaveLength(1);
        }
      });

      it('return updated snapshots on request', async () => {
        const snapshots = `import { expect, it } from 'vitest';
interface Unused {}
it('is written', () => {
  expect({ a: 1 }).toMatchInlineSnapshot();
  expect('old').toMatchInlineSnapshot(\`"older"\`);
  expect({ id: 7 })
    .toMatchInlineSnapshot({ id: expect.any(Number) });
});
it('is kept beside', () => expect([1]).toMatchSnapshot());
`;
        await tests.start({ 'src/a.test.ts': snapshots });
        const before = await tests.finished();
        expect(before.files[0]?.state).toBe('failed');
        expect(before.files[0]?.snapshots).toEqual({ added: 2, changed: 1 });
        const written = await tests.updateSnapshots();
        expect(written).toEqual([
          { path: 'src/a.test.ts', before: snapshots, text: writtenSnapshots },
          {
            path: 'src/__snapshots__/a.test.ts.snap',
            before: null,
            text: '// Vitest Snapshot v1\n\nexports[`is kept beside 1`] = `\n[\n  1,\n]\n`;\n',
          },
        ]);
        await at.workspace.edit(Object.fromEntries(written.map(({ path, text }) => [path, text])));
        const after = await tests.reportWhere(
          ({ isRunning, files: [file] }) => !isRunning && file?.state === 'passed',
          'snapshots that hold',
        );
        expect(after.files[0]?.snapshots).toEqual({ added: 0, changed: 0 });
      });
    },
  );
}

const writtenSnapshots = `import { expect, it } from 'vitest';
interface Unused {}
it('is written', () => {
  expect({ a: 1 }).toMatchInlineSnapshot(\`
    {
      "a": 1,
    }
  \`);
  expect('old').toMatchInlineSnapshot(\`"old"\`);
  expect({ id: 7 })
    .toMatchInlineSnapshot({ id: expect.any(Number) }, \`
      {
        "id": Any<Number>,
      }
    \`);
});
it('is kept beside', () => expect([1]).toMatchSnapshot());
`;

describe('tests', () => {
  const tests = drive(() => at.workspace, { isSrcdoc: false });

  it('that fail to load report the reason', async () => {
    await tests.start({
      'a.test.ts': `import { gone } from './gone'; it('uses it', () => gone());`,
      'b.test.ts': `it('does not parse', () => {`,
      'c.test.js': `throw new Error('at the top');`,
      'd.test.js': `it('lets go', () => { setTimeout(() => { throw new Error('too late'); }); return new Promise((end) => setTimeout(end, 30)); });`,
      'e.test.js': '',
    });
    const lines = outline(await tests.finished());
    expect(lines[0]).toBe('a.test.ts! Can’t find “./gone”.');
    expect(lines[1]).toMatch(/^b\.test\.ts! /);
    expect(lines.slice(2)).toEqual([
      'c.test.js! at the top',
      'd.test.js! Error: too late',
      'd.test.js > lets go: passed',
      'e.test.js! No tests found in this file.',
    ]);
  });

  it('run despite warnings', async () => {
    await tests.start({
      'a.test.js': `import page from './a.html?raw'; it('reads', () => expect(page).toContain('id'));`,
      'a.html': '<p id="a" id="b">Twice',
    });
    expect(outline(await tests.finished())).toEqual(['a.test.js > reads: passed']);
    await at.workspace.edit({ 'a.html': '<p id="c" id="b">Twice' });
    expect(outline(await tests.finished())).toEqual(['a.test.js > reads: passed']);
  });

  it('with a new error report it instead of earlier results, and run again once it is fixed', async () => {
    const good = `import { one } from './one'; it('counts', () => expect(one).toBe(1));`;
    await tests.start({ 'a.test.js': good, 'one.js': 'export const one = 1;' });
    const came = outline(await tests.finished());
    expect(came).toEqual(['a.test.js > counts: passed']);
    const settled = (state: string) =>
      tests.reportWhere(
        ({ files, isRunning }) => !isRunning && files.every((file) => file.state === state),
        `files that have ${state}`,
      );
    for (const [file, text, message] of [
      ['a.test.js', `it('counts', () => {`, /^a\.test\.js! /],
      ['a.test.js', `import './none'; it('counts', () => {});`, /Can’t find “\.\/none”/],
      ['one.js', 'export const = 1;', /^a\.test\.js! /],
    ] as const) {
      await at.workspace.edit({ [file]: text });
      const lines = outline(await settled('failed'));
      expect(lines).toHaveLength(1);
      expect(lines[0]).toMatch(message);
      await at.workspace.edit({ 'a.test.js': good, 'one.js': 'export const one = 1;' });
      expect(outline(await settled('passed'))).toEqual(came);
    }
  });

  it('run individually on request, and the others keep their results', async () => {
    await tests.start({
      'a.test.js': `describe('all', () => { it('one', () => {}); it('two', () => { throw new Error('no'); }); });`,
    });
    const before = await tests.finished();
    await at.page.evaluate(
      `tests.run({ path: 'a.test.js', only: { name: 'all > one', isSuite: false } })`,
    );
    await tests.reportWhere(({ isRunning }) => isRunning, 'a run');
    expect(outline(await tests.finished())).toEqual(outline(before));
  });

  it('never take the keyboard focus from the editor', async () => {
    await at.page.goto(`${at.rig.appOrigin}/`);
    await tests.start({
      'a.test.js': `it('focuses', async () => {
        const input = document.body.appendChild(document.createElement('input'));
        input.focus();
        expect(document.activeElement).toBe(input);
        await new Promise((end) => setTimeout(end, 50));
      });`,
    });
    await at.page.evaluate(`document.querySelector('#code').focus()`);
    const report = await tests.finished();
    expect(outline(report)).toEqual(['a.test.js > focuses: passed']);
    expect(await at.page.evaluate('document.activeElement.id')).toBe('code');
  });

  it('that navigate away from their page fail', async () => {
    await tests.start({
      'a.test.js': `it('goes', () => { location.href = '/'; return new Promise(() => {}); });`,
    });
    expect(outline(await tests.finished())).toEqual([
      'a.test.js > goes: failed',
      'a.test.js > goes! The test navigated away from its page, so it was stopped.',
    ]);
  });
});
