import { createServer } from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LogFields } from '../../src/log.ts';
import { createRest } from '../../src/rest/index.ts';
import { openLibrary, type Library } from './library.ts';

const logged: { message: string; fields: LogFields | undefined }[] = [];
const note = (message: string, fields?: LogFields) => void logged.push({ message, fields });
const log = { info: note, warn: note, error: note };

let library: Library;
beforeAll(async () => {
  library = await openLibrary({ log, sessions: 5 });
}, 60_000);
afterAll(() => library.close());

/** Finds a loopback port where nothing listens. */
async function findDeadPort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return address.port;
}

describe('without a database', () => {
  test('responds with an error that does not name the database’s address', async () => {
    const database = {
      ...library.database.addressAs('authenticator'),
      host: '127.0.0.1',
      port: await findDeadPort(),
    };
    const rest = createRest({ database, schemas: ['public'], log });
    const request = new Request('http://rest.test/rest/v1/books');
    const response = await rest.handle(request, { role: 'anon', claims: {} });
    expect(response.status).toBe(503);
    expect(await response.json()).toEqual({
      code: 'PGRST001',
      details: null,
      hint: null,
      message: 'The database cannot be reached',
    });
    await rest.close();
  });
});

describe('when all sessions are in use', () => {
  test('ends slow requests in time, and leaves sessions to other users (DB-21)', async () => {
    const ended: string[] = [];
    const slow = Array.from({ length: 20 }, async () => {
      const response = await library.request('rpc/sleep_for?seconds=20', { as: 'bob' });
      ended.push('slow');
      return response.status;
    });
    for (const as of ['alice', 'visitor', 'alice', 'visitor']) {
      const response = await library.request('tags?id=eq.1', { as });
      ended.push('quick');
      expect(response.status).toBe(200);
    }
    expect(ended).toEqual(['quick', 'quick', 'quick', 'quick']);
    expect(new Set(await Promise.all(slow))).toEqual(new Set([504]));
  }, 60_000);
  test('logs server errors without user data', async () => {
    logged.length = 0;
    await library.request('rpc/refuse?code=XX000', { as: 'alice' });
    expect(logged).toEqual([
      {
        message: 'A REST request failed.',
        // The error's message, which may contain user data, is left out.
        fields: { code: 'XX000', reason: expect.stringMatching(/^PostgresError XX000 at [^']*$/) },
      },
    ]);
    expect(JSON.stringify(logged)).not.toContain('version_conflict');
  });
});
