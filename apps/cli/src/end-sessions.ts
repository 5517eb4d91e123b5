import { endAllSessions } from '@vitrine/backend';
import { connectDatabase } from '@vitrine/backend/postgres';
import { withDatabase } from './instance.ts';
import { formatCount, printLine } from './terminal.ts';

/** Signs everyone out, for an operator who suspects that a stranger is signed in. */
export async function signEveryoneOut(): Promise<void> {
  const count = await withDatabase(async (database) => {
    const sql = connectDatabase(database, { max: 1 });
    return await endAllSessions(sql).finally(() => sql.end());
  });
  printLine(`Ended ${formatCount(count, 'session')} and invalidated all emailed links and codes.`);
}
