import type { TransactionSql } from 'postgres';
import { restLimits } from './limits.ts';
import { quoteName, type RestSettings } from './schema/schema.ts';

/**
 * Reads PostgREST's settings as a migration sets them on a hosted project: `alter role
 * authenticator set pgrst.db_aggregates_enabled = 'true'`. The defaults are Supabase's.
 */
export async function readRestSettings(
  tx: TransactionSql,
  schemas: readonly string[],
): Promise<RestSettings> {
  const rows = await tx<{ entry: string }[]>`
    select entry from pg_db_role_setting s, unnest(s.setconfig) entry
    where s.setrole = current_user::regrole and entry like 'pgrst.%'
      and s.setdatabase in (0, (select oid from pg_database where datname = current_database()))
    order by s.setdatabase`;
  const given = new Map(
    rows.map(({ entry }): [string, string] => {
      const at = entry.indexOf('=');
      return [entry.slice('pgrst.'.length, at), entry.slice(at + 1)];
    }),
  );
  const preRequest = parseFunctionName(given.get('db_pre_request'));
  return {
    schemas: parseNames(given.get('db_schemas')) ?? schemas,
    extraSearchPath: parseNames(given.get('db_extra_search_path')) ?? ['public', 'extensions'],
    maxRows: parseMaxRows(given.get('db_max_rows')),
    maxRowsByRole: await readMaxRowsByRole(tx),
    ...(preRequest === undefined ? {} : { preRequest }),
    areAggregatesEnabled: given.get('db_aggregates_enabled') === 'true',
    isPlanEnabled: given.get('db_plan_enabled') === 'true',
  };
}

/** Reads limits of roles: `alter role anon set pgrst.db_max_rows = '100'`. */
async function readMaxRowsByRole(tx: TransactionSql): Promise<ReadonlyMap<string, number>> {
  const rows = await tx<{ role: string; value: string }[]>`
    select s.setrole::regrole::text as role, split_part(entry, '=', 2) as value
    from pg_db_role_setting s, unnest(s.setconfig) entry
    where entry like 'pgrst.db_max_rows=%'
      and s.setrole in (select roleid from pg_auth_members where member = current_user::regrole)
      and s.setdatabase in (0, (select oid from pg_database where datname = current_database()))
    order by s.setdatabase`;
  return new Map(rows.map(({ role, value }) => [role, parseMaxRows(value)]));
}

/** Parses `check_request` or `private.check_request`; the default schema is `public`. */
function parseFunctionName(name: string | undefined): string | undefined {
  if (!name) return undefined;
  const parts = name.split('.').map((part) => part.trim());
  return (parts.length === 1 ? ['public', ...parts] : parts).map(quoteName).join('.');
}

function parseNames(list: string | undefined): string[] | undefined {
  const names = list?.split(',').map((name) => name.trim());
  return names?.every((name) => name !== '') ? names : undefined;
}

/** Never more than the limit of `restLimits`. */
function parseMaxRows(given: string | undefined): number {
  const { maxRows } = restLimits;
  return given !== undefined && /^[1-9]\d{0,8}$/.test(given)
    ? Math.min(Number(given), maxRows)
    : maxRows;
}
