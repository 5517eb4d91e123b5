import { expect, it } from 'vitest';
import { createRuntimeDiagnostics } from '../src/host/runtime-diagnostics.ts';
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
  const hearing = createRuntimeDiagnostics({
    compileQueue: {
      diagnostics: [],
      lacksSourceMap: () => true,
      prepare: () => maps.promise,
      mapLocation: (found: object) => found,
      mapStack: (stack: string) => stack,
    } as never,
    console: {} as never,
    project: {
      paths: [],
      read: () => undefined,
      findExports: () => undefined,
      findImports: () => [],
    },
    onDiagnostics: () => {},
  });
  return { hearing, maps };
}

it('drops an error from before the latest update whose message loads after it', async () => {
  const { hearing, maps } = createHearer();
  hearing.onMessage(said);
  hearing.beginUpdate();
  maps.resolve();
  const next = { ...problem, sentence: 'ReferenceError: b is not defined' };
  hearing.onMessage({ type: 'problem', problem: next } as FromFrame);
  await expect.poll(() => hearing.diagnostics.length).toBeGreaterThan(0);
  expect(hearing.diagnostics.map(({ sentence }) => sentence)).toEqual(['“b” is not defined.']);
});
