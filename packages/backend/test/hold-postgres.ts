/** Test program: starts PostgreSQL on the directory in its argument and keeps it running. */
import { startPostgres } from '../src/postgres/index.ts';
import { silentLog } from '@vitrine/testing/database';

const [, , dataDir = ''] = process.argv;
const postgres = await startPostgres({ dataDir, log: silentLog });
console.log(postgres.pid);
