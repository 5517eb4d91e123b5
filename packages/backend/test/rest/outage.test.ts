import { createServer } from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Fields } from '../../src/log.ts';
import { createRest } from '../../src/rest/index.ts';
import { openLibrary, type Library } from './library.ts';

const logged: { message: string; fields: Fields | undefined }[] = [];
const note = (message: string, fields?: Fields) => void logged.push({ message, fields });
const log = { info: note, warn: note, error: note };

let library: Library;
beforeAll(async () => {
  library = await openLibrary({ log, sessions: 5 });
});
afterAll(() => library.close());

/** A loopback port at which nobody listens. */
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
  test('a request is told so, and not where the database should have been', async () => {
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

describe('when all sessions are busy', () => {
  test('slow requests end in time, and leave room for those of others (DB-21)', async () => {
    const ended: string[] = [];
    const slow = Array.from({ length: 20 }, async () => {
      const response = await library.ask('rpc/sleep_for?seconds=20');
      ended.push('slow');
      return response.status;
    });
    for (let count = 0; count < 10; count++) {
      const response = await library.ask('tags?id=eq.1', { as: 'alice' });
      ended.push('quick');
      expect(response.status).toBe(200);
    }
    expect(ended.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => 'quick'));
    expect(new Set(await Promise.all(slow))).toEqual(new Set([504]));
  }, 20_000);
  test('a slow person leaves room for a visitor as well', async () => {
    const slow = Array.from({ length: 20 }, () =>
      library.ask('rpc/sleep_for?seconds=0.5', { as: 'bob' }),
    );
    const started = performance.now();
    expect((await library.ask('tags?id=eq.1')).status).toBe(200);
    expect(performance.now() - started).toBeLessThan(450);
    await Promise.all(slow);
  }, 20_000);
  test('what was wrong with the server is in the log, without anybody’s values', async () => {
    logged.length = 0;
    await library.ask('rpc/refuse?code=XX000', { as: 'alice' });
    expect(logged).toEqual([
      {
        message: 'rest: a request failed',
        fields: { code: 'XX000', error: 'PostgresError: version_conflict' },
      },
    ]);
  });
});
