export { connectDatabase, formatDatabaseUrl, parseDatabaseUrl } from './address.ts';
export type { DatabaseAddress } from './address.ts';
export { DatabasePrivilegeError, bootstrapDatabase } from './bootstrap.ts';
export { isConnectionError } from './connection-errors.ts';
export { openPostgres, startPostgres } from './cluster.ts';
export type { PostgresServer } from './cluster.ts';
export { MigrationError, applyMigrations } from './migrations.ts';
export { PostgresStartError } from './start-error.ts';
export type { PostgresStartErrorReason } from './start-error.ts';
