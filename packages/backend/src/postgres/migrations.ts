import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import postgres from 'postgres';
import type { ReservedSql, Sql } from 'postgres';
import { StartupError } from '../startup-error.ts';
import { splitStatements, stripLeadingComments } from './sql-statements.ts';
import type { SqlStatement } from './sql-statements.ts';

/** A migration was rejected or failed, and was rolled back. The message names file and line. */
export class MigrationError extends StartupError {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'MigrationError';
  }
}

interface Migration {
  version: string;
  name: string;
  file: string;
}

/**
 * Applies the pending migrations `<timestamp>_<name>.sql` of `folder` in order, each in a
 * transaction together with its row in supabase_migrations.schema_migrations (the table of the
 * Supabase CLI, so that `supabase db push` agrees). Safe to run concurrently. `until` is the last
 * version to apply. Returns the applied versions; throws a MigrationError.
 */
export async function applyMigrations(
  sql: Sql,
  folder: string,
  { until }: { until?: string } = {},
): Promise<string[]> {
  const all = await listMigrations(folder);
  const migrations = all.filter(({ version }) => until === undefined || version <= until);
  const session = await sql.reserve();
  try {
    await session`select pg_advisory_lock(hashtext('vitrine migrations'))`;
    await session.unsafe(`
      create schema if not exists supabase_migrations;
      create table if not exists supabase_migrations.schema_migrations
        (version text not null primary key, statements text[], name text);
      set search_path = "$user", public, extensions;
    `);
    const pending = findPending(migrations, await readApplied(session));
    for (const migration of pending) await applyMigration(session, folder, migration);
    // Other processes on this database cache the schema.
    if (pending.length > 0) await session.unsafe(`notify pgrst, 'reload schema'`);
    return pending.map((migration) => migration.version);
  } finally {
    await session`reset search_path`;
    await session`select pg_advisory_unlock(hashtext('vitrine migrations'))`;
    session.release();
  }
}

async function listMigrations(folder: string): Promise<Migration[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort();
  const migrations = files.map((file) => {
    const match = /^(\d+)_(.+)\.sql$/.exec(file);
    if (!match?.[1] || !match[2]) {
      throw new MigrationError(`${file} in ${folder} isn’t named <timestamp>_<name>.sql.`);
    }
    return { version: match[1], name: match[2], file };
  });
  migrations.forEach(({ version, file }, index) => {
    const before = migrations[index - 1];
    if (before?.version === version) {
      throw new MigrationError(`${before.file} and ${file} in ${folder} have the same version.`);
    }
  });
  return migrations;
}

async function readApplied(session: ReservedSql): Promise<string[]> {
  const rows = await session<{ version: string }[]>`
    select version from supabase_migrations.schema_migrations order by version`;
  return rows.map((row) => row.version);
}

function findPending(migrations: Migration[], applied: string[]): Migration[] {
  const known = new Set(migrations.map((migration) => migration.version));
  const unknown = applied.find((version) => !known.has(version));
  if (unknown !== undefined) {
    throw new MigrationError(
      `The database has the migration ${unknown}, which this version of Vitrine doesn’t include. It comes from a newer version. Run that version instead.`,
    );
  }
  const pending = migrations.filter((migration) => !applied.includes(migration.version));
  const last = applied.at(-1);
  const outOfOrder = pending.find((migration) => last !== undefined && migration.version < last);
  if (outOfOrder !== undefined) {
    throw new MigrationError(
      `${outOfOrder.file} is older than ${last}, which was already applied. Give it a later timestamp.`,
    );
  }
  return pending;
}

async function applyMigration(
  session: ReservedSql,
  folder: string,
  { version, name, file }: Migration,
): Promise<void> {
  const statements = splitStatements(await readFile(join(folder, file), 'utf8'));
  statements.forEach((statement) => assertNoTransactionControl(file, statement));
  await session.unsafe('begin');
  try {
    for (const statement of statements) await runStatement(session, file, statement);
    await session`insert into supabase_migrations.schema_migrations (version, statements, name)
      values (${version}, ${statements.map((statement) => statement.text)}, ${name})`;
    await session.unsafe('commit');
  } catch (error) {
    await session.unsafe('rollback');
    throw error;
  }
}

function assertNoTransactionControl(file: string, { text, line }: SqlStatement): void {
  if (
    /^(begin|start\s+transaction|commit|end|rollback|abort)\b/i.test(stripLeadingComments(text))
  ) {
    throw new MigrationError(
      `${file}, line ${line}: migrations already run in a transaction. Remove this statement.`,
    );
  }
}

async function runStatement(session: ReservedSql, file: string, statement: SqlStatement) {
  try {
    await session.unsafe(statement.text).simple();
  } catch (error) {
    if (!(error instanceof postgres.PostgresError)) throw error;
    const line = findLine(statement, Number(error.position));
    throw new MigrationError(`${file}, line ${line}: ${error.message}`, { cause: error });
  }
}

/**
 * Finds the line of an error. `position` counts code points of the statement from 1; not every
 * error has one.
 */
function findLine({ text, line }: SqlStatement, position: number): number {
  const at = Number.isNaN(position)
    ? text.length - stripLeadingComments(text).length + 1
    : position;
  return (
    line +
    Array.from(text)
      .slice(0, at - 1)
      .filter((character) => character === '\n').length
  );
}
