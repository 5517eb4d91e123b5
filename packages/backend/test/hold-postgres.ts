/** A program for tests: starts PostgreSQL on the folder named as its argument and keeps it. */
import { startPostgres } from '../src/postgres/index.ts';
import { silentLog } from './database.ts';

const [, , dataDir = ''] = process.argv;
const postgres = await startPostgres({ dataDir, log: silentLog });
console.log(postgres.pid);
