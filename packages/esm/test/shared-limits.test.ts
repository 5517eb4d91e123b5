import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { appOrigin, codeOf, withPackageServer } from './package-server-fixture.ts';

const attacker = '192.0.2.1';
const visitor = '198.51.100.7';

test('PT-03: runs a job of one client while another client resolves slowly', () =>
  withPackageServer({}, async ({ registry, server }) => {
    registry.publish({ name: 'fine', version: '1.0.0' });
    const pending: (() => void)[] = [];
    registry.behave(/^\/slow/, (response) => {
      pending.push(() => response.writeHead(404).end('{}'));
    });
    const add = (address: string, name: string) => {
      const body = JSON.stringify({ packageJson: '{}', add: [{ name }] });
      const init = { method: 'POST', headers: { origin: appOrigin }, body };
      return server.fetch(new Request(`${appOrigin}/npm/-/resolve`, init), { address });
    };
    const attacks = Array.from({ length: 6 }, (_, each) => add(attacker, `slow${each}`));
    expect((await add(visitor, 'fine'))?.status).toBe(200);
    registry.restore();
    const answered = Promise.all(attacks);
    for (const answer of pending) answer();
    for (const answer of await answered) expect(answer?.status).toBe(404);
  }));

test('PT-03: limits the requests of one client that start work, not those of others', () =>
  withPackageServer({}, async ({ server }) => {
    const send = async (address: string) => {
      const init = { method: 'POST', headers: { origin: appOrigin }, body: '{}' };
      const request = new Request(`${appOrigin}/npm/-/register`, init);
      return (await server.fetch(request, { address }))?.status;
    };
    const statuses = await Promise.all(Array.from({ length: 200 }, () => send(attacker)));
    expect(new Set(statuses.slice(0, 120))).toEqual(new Set([400]));
    expect(statuses.at(-1)).toBe(429);
    expect(await send(visitor)).toBe(400);
  }));

test("PT-03: doesn't repeat a failed build for the next client", () =>
  withPackageServer({}, async ({ registry, add, get, folder }) => {
    registry.publish({
      name: 'broken',
      version: '1.0.0',
      files: { 'index.js': 'export const = ;' },
      manifest: { type: 'module', main: 'index.js' },
    });
    const base = (await add(['broken'])).baseOf('broken');
    expect(await codeOf(await get(base))).toBe('package_build_failed');
    // Another attempt would need its files, which no longer exist.
    for (const name of await readdir(folder))
      if (name.startsWith('unpacked')) await rm(join(folder, name), { recursive: true });
    registry.behave(/\.tgz$/, (response) => void response.writeHead(500).end());
    expect(await codeOf(await get(base))).toBe('package_build_failed');
  }));

test("PT-03: sends another request to a registry that didn't respond", () =>
  withPackageServer({}, async ({ registry, add, get }) => {
    registry.publish({ name: 'late', version: '1.0.0', files: { 'index.js': 'export default 1' } });
    registry.behave(/\.tgz$/, (response) => void response.writeHead(500).end());
    const base = (await add(['late'])).baseOf('late');
    expect(await codeOf(await get(base))).toBe('registry_unreachable');
    registry.restore();
    expect((await get(base)).status).toBe(200);
  }));
