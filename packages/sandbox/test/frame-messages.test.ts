import { glob, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parseFromFrame, type FromFrame } from '../src/protocol.ts';

const location = { path: 'a.js', line: 1, column: 1 };
const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]).buffer;

/** Every message of a frame. Adding one to this list asserts that it causes no write. */
const messages: { [T in FromFrame['type']]: Extract<FromFrame, { type: T }> } = {
  painted: { type: 'painted' },
  unloading: { type: 'unloading' },
  'service-worker-unavailable': { type: 'service-worker-unavailable' },
  pong: { type: 'pong', count: 1 },
  'rejection-handled': { type: 'rejection-handled', rejection: 1 },
  'load-errors-withdrawn': { type: 'load-errors-withdrawn', addresses: ['s.png'] },
  dropped: { type: 'dropped', count: 1 },
  applied: { type: 'applied', version: 1, outcome: 'done' },
  invalid: { type: 'invalid', id: 'a.js' },
  visit: { type: 'visit', path: 'a.html', hash: '' },
  scrolled: { type: 'scrolled', x: 0, y: 0 },
  dialog: { type: 'dialog', open: true },
  'reload-page': { type: 'reload-page' },
  console: { type: 'console', entry: { method: 'log', values: [], time: 0, ...location } },
  'console-response': { type: 'console-response', id: 1, response: { kind: 'gone' } },
  problem: { type: 'problem', problem: { kind: 'error', message: 'No', stack: '', ...location } },
  tests: { type: 'tests', event: { kind: 'started', id: '1' } },
  address: { type: 'address', address: '/', canGoBack: false, canGoForward: false },
  requests: { type: 'requests', requests: [], dropped: 0 },
  details: {
    type: 'details',
    id: 1,
    details: { requestHeaders: [], responseHeaders: [], requestBody: null, responseBody: null },
  },
  'audit-started': { type: 'audit-started' },
  findings: { type: 'findings', checks: 1, findings: [] },
  'audit-failed': { type: 'audit-failed', message: 'No' },
  screenshot: { type: 'screenshot', purpose: 'poster', png, undrawn: [] },
  'screenshot-failed': { type: 'screenshot-failed', purpose: 'user' },
  'tool-missing': { type: 'tool-missing', tool: 'network' },
};

describe('messages of a frame', () => {
  it.each(Object.values(messages))('SB-12 include $type', (message) => {
    expect(parseFromFrame(message)).toEqual(message);
  });

  it('SB-12 include no other type of the sources', async () => {
    const folder = fileURLToPath(new URL('../src/', import.meta.url));
    const words = new Set<string>();
    for await (const path of glob('**/*.ts', { cwd: folder }))
      for (const [, word = ''] of (await readFile(folder + path, 'utf8')).matchAll(/'([\w-]+)'/g))
        words.add(word);
    const everything = Object.assign({}, ...Object.values(messages)) as object;
    const taken = [...words].filter((type) =>
      // Two of them use `id` for different things.
      [1, 'a.js'].some((id) => parseFromFrame({ ...everything, type, id })),
    );
    expect(taken.toSorted()).toEqual(Object.keys(messages).toSorted());
  });

  it("SB-12 reach only code that can't write", async () => {
    const own = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8')) as {
      dependencies: Record<string, string>;
    };
    const ours = Object.keys(own.dependencies).filter((name) => name.startsWith('@vitrine/'));
    // Processes are started only by the server.
    expect(ours).toEqual(['@vitrine/compiler', '@vitrine/processes', '@vitrine/project']);
    expect(Object.keys(own.dependencies).filter((name) => /supabase|yjs/.test(name))).toEqual([]);
  });
});
