/**
 * `npm run end-sessions`: signs everyone out, for an operator who suspects that a stranger is
 * signed in. Uses DATA_DIR and DATABASE_URL. Can run while Vitrine does.
 */
import { resolve } from 'node:path';
import {
  connectDatabase,
  openPostgres,
  parseDatabaseUrl,
  type DatabaseAddress,
} from '@vitrine/backend/postgres';
import { formatCount } from './format-count.ts';

const dataDir = resolve(process.env['DATA_DIR'] ?? 'data');
const url = process.env['DATABASE_URL'];
const log = { info() {}, warn: printError, error: printError };

try {
  if (url === undefined) {
    const server = await openPostgres({ dataDir, log });
    await endSessions(server.database).finally(() => server.close());
  } else await endSessions(parseDatabaseUrl(url));
} catch (error) {
  if (!(error instanceof Error) || !('sentence' in error)) throw error;
  printError(error.message);
  process.exitCode = 1;
}

/** Deletes all sessions, with their refresh tokens, and voids mailed links and codes. */
async function endSessions(database: DatabaseAddress): Promise<void> {
  const sql = connectDatabase(database, { max: 1 });
  try {
    const { count } = await sql.begin(async (tx) => {
      await tx`delete from auth.one_time_tokens`;
      await tx`delete from auth.flow_state`;
      return tx`delete from auth.sessions`;
    });
    const ended = formatCount(count, 'session');
    process.stdout.write(`Ended ${ended} and invalidated all emailed links and codes.\n`);
  } finally {
    await sql.end();
  }
}

function printError(line: string): void {
  process.stderr.write(`${line}\n`);
}
