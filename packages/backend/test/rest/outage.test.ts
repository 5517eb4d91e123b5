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
  library = await openLibrary({ log, sessions: 2 });
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
  test('slow requests of one person end in time, and another’s are answered between', async () => {
    const slow = Array.from({ length: 8 }, () => library.ask('rpc/sleep_for?seconds=20'));
    const quick = await library.ask('tags?id=eq.1');
    expect(quick.status).toBe(200);
    const statuses = (await Promise.all(slow)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([504]));
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
