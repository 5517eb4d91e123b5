import { expect, it } from 'vitest';
import { RuntimeDiagnostics } from '../../src/host/runtime-diagnostics.ts';
import type { FromFrame } from '../../src/protocol.ts';

const location = { path: 'app.js', line: 1, column: 1 };
const problem = {
  kind: 'error',
  message: 'ReferenceError: a is not defined',
  stack: '',
  ...location,
};
const message = { type: 'problem', problem } as FromFrame;

/** Diagnostics of a project whose source maps load on demand. */
function createProjectDiagnostics() {
  const maps = Promise.withResolvers<void>();
  const runtimeDiagnostics = new RuntimeDiagnostics({
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
      isOutdated: () => false,
      findExports: () => undefined,
      findImports: () => [],
    },
    permissions: { isAllowed: () => false, canAllow: () => true },
    onDiagnostics: () => {},
  });
  return { runtimeDiagnostics, maps };
}

it('drops an error from before the latest update whose message loads after it', async () => {
  const { runtimeDiagnostics, maps } = createProjectDiagnostics();
  runtimeDiagnostics.onMessage(message);
  runtimeDiagnostics.beginUpdate();
  maps.resolve();
  const next = { ...problem, message: 'ReferenceError: b is not defined' };
  runtimeDiagnostics.onMessage({ type: 'problem', problem: next } as FromFrame);
  // The error messages load with the first error, which takes a while on a busy machine.
  const count = () => runtimeDiagnostics.diagnostics.length;
  await expect.poll(count, { timeout: 10_000 }).toBeGreaterThan(0);
  expect(runtimeDiagnostics.diagnostics.map(({ message }) => message)).toEqual([
    '“b” is not defined.',
  ]);
});
