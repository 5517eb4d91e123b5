import type { TransactionSql } from 'postgres';
import type { Caller } from '../rest/index.ts';
import type { StorageContext } from './context.ts';
import { findChoice, findFlag, findNumber, findText, type StorageRequestBody } from './input.ts';
import { storageLimits } from './limits.ts';
import { assertBucketName, assertNamePrefix } from './names.ts';
import { StorageError } from './storage-error.ts';

const sortOrders = ['asc', 'desc'] as const;
const rawSql = (tx: TransactionSql, text: string) => tx.unsafe(text);

/**
 * POST /object/list: lists the entries directly in the folder `prefix`, with names relative to it.
 * Folders have no id. `search` is a prefix of the name.
 */
export async function listFolder(
  { db }: StorageContext,
  caller: Caller,
  bucket: string,
  body: StorageRequestBody,
) {
  assertBucketName(bucket);
  const given = findText(body, 'prefix') ?? '';
  const folder = given === '' || given.endsWith('/') ? given : `${given}/`;
  const beginning = folder + (findText(body, 'search') ?? '');
  assertNamePrefix(beginning);
  const sort = parseSort(body, ['name', 'updated_at', 'created_at', 'last_accessed_at']);
  const limit = Math.min(findNumber(body, 'limit', 1) ?? 100, storageLimits.maxNames);
  const offset = findNumber(body, 'offset', 0) ?? 0;
  return await db.run(caller, 'storage.object.list', (tx) => {
    const order = rawSql(tx, sort.order);
    const byTime = sort.column === 'name' ? tx`` : tx`id is not null, ${tx(sort.column)} ${order},`;
    return tx`
      with found as (
        select *, strpos(substr(name, ${beginning.length + 1}::int), '/') as slash
        from storage.objects
        where bucket_id = ${bucket} and lower(name) like ${createLikePattern(beginning.toLowerCase())}
      ), entries as (
        select substr(name, ${folder.length + 1}::int) as name, id, updated_at, created_at,
          last_accessed_at, metadata
        from found where slash = 0
        union all
        select distinct substr(name, ${folder.length + 1}::int,
            ${beginning.length - folder.length}::int + slash - 1),
          null::uuid, null::timestamptz, null::timestamptz, null::timestamptz, null::jsonb
        from found where slash > 0
      )
      select * from entries
      order by ${byTime} lower(name) collate "C" ${order}, name collate "C" ${order}
      limit ${limit} offset ${offset}`;
  });
}

interface ListEntry {
  name: string;
  id: string | null;
  /** Value of the sort column, in milliseconds; empty for folders and when sorting by name. */
  sort_value: string;
}

/** The last entry of a page. */
interface Cursor {
  name: string;
  sortValue: string;
  column: string;
  order: (typeof sortOrders)[number];
}

/**
 * POST /object/list-v2: lists everything below `prefix`, or with a delimiter the entries directly
 * in it. Paginated by cursor.
 */
export async function listPage(
  { db }: StorageContext,
  caller: Caller,
  bucket: string,
  body: StorageRequestBody,
) {
  assertBucketName(bucket);
  const prefix = findText(body, 'prefix') ?? '';
  assertNamePrefix(prefix);
  const withFolders = findFlag(body, 'with_delimiter') ?? false;
  const limit = Math.min(findNumber(body, 'limit', 1) ?? 1000, storageLimits.maxNames);
  const cursor = decodeCursor(findText(body, 'cursor'));
  const sort = cursor ?? parseSort(body, ['name', 'updated_at', 'created_at']);
  const rows = await db.run(caller, 'storage.object.list_v2', (tx) => {
    const order = rawSql(tx, sort.order);
    const compare = rawSql(tx, sort.order === 'asc' ? '>' : '<');
    const sortValue =
      sort.column === 'name'
        ? tx`''`
        : tx`coalesce(to_char(${tx(sort.column)}, 'YYYYMMDDHH24MISSMS'), '')`;
    const folders = tx`
      union all
      select distinct substr(name, 1, ${prefix.length}::int + slash), null::uuid, null::timestamptz,
        null::timestamptz, null::timestamptz, null::jsonb
      from found where slash > 0`;
    return tx<ListEntry[]>`
      with found as (
        select *, strpos(substr(name, ${prefix.length + 1}::int), '/') as slash
        from storage.objects where bucket_id = ${bucket} and name like ${createLikePattern(prefix)}
      ), entries as (
        select name, id, updated_at, created_at, last_accessed_at, metadata
        from found where ${withFolders ? tx`slash = 0` : tx`true`}
        ${withFolders ? folders : tx``}
      ), sorted as (
        select *, ${sortValue} collate "C" as sort_value from entries
      )
      select * from sorted
      ${cursor ? tx`where (sort_value, name collate "C") ${compare} (${cursor.sortValue}, ${cursor.name})` : tx``}
      order by sort_value ${order}, name collate "C" ${order} limit ${limit + 1}`;
  });
  return createPage(rows, limit, sort, withFolders);
}

function createPage(
  rows: readonly ListEntry[],
  limit: number,
  { column, order }: Pick<Cursor, 'column' | 'order'>,
  withFolders: boolean,
) {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const hasNext = rows.length > limit;
  const entries = page.map((row) => {
    const { sort_value: _, ...entry } = row;
    return withFolders ? { key: getLastSegment(entry.name), ...entry } : entry;
  });
  return {
    hasNext,
    folders: entries.filter(({ id }) => id === null),
    objects: entries.filter(({ id }) => id !== null),
    ...(hasNext && last
      ? {
          nextCursor: encodeCursor({ name: last.name, sortValue: last.sort_value, column, order }),
          nextCursorKey: last.name,
        }
      : {}),
  };
}

/** `a/b/` → `b`, `a/c.txt` → `c.txt`. */
function getLastSegment(name: string): string {
  return name.replace(/\/$/, '').replace(/^.*\//, '');
}

function parseSort(
  body: StorageRequestBody,
  columns: readonly string[],
): Pick<Cursor, 'column' | 'order'> {
  const sortBy = body['sortBy'];
  const given: StorageRequestBody =
    typeof sortBy === 'object' && sortBy !== null ? { ...sortBy } : {};
  return {
    column: findChoice(given, 'column', columns) ?? 'name',
    order: findChoice(given, 'order', sortOrders) ?? 'asc',
  };
}

function encodeCursor(cursor: Cursor): string {
  return Buffer.from(JSON.stringify(Object.values(cursor))).toString('base64url');
}

function decodeCursor(text: string | undefined): Cursor | undefined {
  if (text === undefined || text === '') return undefined;
  const decoded = Buffer.from(text, 'base64url').toString();
  const [, name, sortValue, column, order] =
    /^\["([^"\\]+)","(\d*)","(name|created_at|updated_at)","(asc|desc)"\]$/.exec(decoded) ?? [];
  if (name === undefined || sortValue === undefined || column === undefined) {
    throw new StorageError(400, 'InvalidParameter', 'Invalid Parameter continuation token');
  }
  return { name, sortValue, column, order: order === 'desc' ? 'desc' : 'asc' };
}

/** Pattern for `like` that matches the prefix. */
function createLikePattern(beginning: string): string {
  return `${beginning.replace(/[\\%_]/g, '\\$&')}%`;
}
