import { expect, test } from 'vitest';
import { connectDatabase } from '../src/postgres/index.ts';
import { openTestDatabase } from './database.ts';

test('a query on a broken connection fails, without ending the process', async () => {
  const database = await openTestDatabase({ migrated: false });
  for (let round = 0; round < 5; round += 1) {
    const sql = connectDatabase(database.address, { max: 1 });
    const session = await sql.reserve();
    const [mine] = await session<{ pid: number }[]>`select pg_backend_pid() as pid`;
    const pid = mine?.pid ?? 0;
    await database.sql`select pg_terminate_backend(${pid}, 5000)`;
    // Some queries fail with a closed connection until the driver has noticed.
    await expect
      .poll(async () => (await session`select 1`.then(String, readCode)) === 'CONNECTION_CLOSED')
      .toBe(true);
    expect(await session`select 1`.then(String, readCode)).toBe('CONNECTION_CLOSED');
    // The driver would reuse it for the next query.
    await sql.end({ timeout: 0 });
  }
  await database.close();
});

function readCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
