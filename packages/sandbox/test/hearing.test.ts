import { expect, it } from 'vitest';
import { createHearing } from '../src/host/hearing.ts';
import type { FromFrame } from '../src/protocol.ts';

const place = { path: 'app.js', line: 1, column: 1 };
const problem = {
  kind: 'error',
  sentence: 'ReferenceError: a is not defined',
  stack: '',
  ...place,
};
const said = { type: 'problem', problem } as FromFrame;

/** Diagnostics of a project whose source maps load on demand. */
function createHearer() {
  const maps = Promise.withResolvers<void>();
  const hearing = createHearing({
    intake: {
      problems: [],
      isUnprepared: () => true,
      prepare: () => maps.promise,
      locate: (found: object) => found,
      locateStack: (stack: string) => stack,
    } as never,
    console: {} as never,
    project: { paths: [], read: () => undefined, exportsOf: () => undefined, importsOf: () => [] },
    onProblems: () => {},
  });
  return { hearing, maps };
}

it('drops an error from before the latest update whose message loads after it', async () => {
  const { hearing, maps } = createHearer();
  hearing.hear(said);
  hearing.beginUpdate();
  maps.resolve();
  const next = { ...problem, sentence: 'ReferenceError: b is not defined' };
  hearing.hear({ type: 'problem', problem: next } as FromFrame);
  await expect.poll(() => hearing.problems.length).toBeGreaterThan(0);
  expect(hearing.problems.map(({ sentence }) => sentence)).toEqual(['“b” is not defined.']);
});
