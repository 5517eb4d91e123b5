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
function createProjectDiagnostics(lacksSourceMap = true) {
  const maps = Promise.withResolvers<void>();
  const runtimeDiagnostics = new RuntimeDiagnostics({
    compileQueue: {
      diagnostics: [],
      lacksSourceMap: () => lacksSourceMap,
      prepare: () => maps.promise,
      mapErrorLocation: (found: object) => found,
      mapStack: (stack: string) => stack,
    } as never,
    console: { log: { removeRejection: () => {}, beginUpdate: () => {} } } as never,
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

it('drops a rejection that is handled at any time while its message is made', async () => {
  const rejected = { ...problem, kind: 'rejection', rejection: 1 };
  for (let turns = 0; turns < 30; turns += 1) {
    const { runtimeDiagnostics } = createProjectDiagnostics(false);
    runtimeDiagnostics.onMessage({ type: 'problem', problem: rejected } as FromFrame);
    for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
    runtimeDiagnostics.onMessage({ type: 'rejection-handled', rejection: 1 });
    const next = { ...problem, message: 'ReferenceError: b is not defined' };
    runtimeDiagnostics.onMessage({ type: 'problem', problem: next } as FromFrame);
    const messages = () => runtimeDiagnostics.diagnostics.map(({ message }) => message);
    await expect.poll(messages, { timeout: 10_000 }).toContain('“b” is not defined.');
    expect(messages(), `after ${turns} turns`).toHaveLength(1);
  }
});
