export { connectDatabase, formatDatabaseUrl, parseDatabaseUrl } from './address.ts';
export type { DatabaseAddress } from './address.ts';
export { DatabaseRightsError, bootstrapDatabase } from './bootstrap.ts';
export { isDatabaseGone } from './gone.ts';
export { openPostgres, startPostgres } from './cluster.ts';
export type { Postgres } from './cluster.ts';
export { MigrationError, applyMigrations } from './migrations.ts';
export { PostgresStartError } from './start-error.ts';
export type { StartProblem } from './start-error.ts';
