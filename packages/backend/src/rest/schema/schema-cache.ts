import { describeErrorForLog } from '../../log.ts';
import type { Log } from '../../log.ts';
import { connectDatabase, type DatabaseAddress } from '../../postgres/index.ts';
import { restLimits } from '../limits.ts';
import { readCatalog } from './read-schema.ts';
import type { Catalog } from './schema.ts';

/** Cached schema, reloaded on notification and when a name is unknown. */
export interface SchemaCache {
  get(): Promise<Catalog>;
  /**
   * Returns the schema for a request with an unknown name, reloading it at most every few seconds.
   * A migration by a tool that sends no notification would otherwise need a restart.
   */
  getFresh(): Promise<Catalog>;
  close(): Promise<void>;
}

export function openSchemaCache(
  database: DatabaseAddress,
  schemas: readonly string[],
  log: Log,
): SchemaCache {
  const sql = connectDatabase(database, { max: 1 });
  let readAt = 0;
  // Undefined when the last attempt failed and there is no earlier one.
  let current: Promise<Catalog> | undefined;
  reload();

  const listening = sql.listen(
    'pgrst',
    (message) => {
      if (['', 'reload schema', 'reload config'].includes(message)) reload();
    },
    reloadIfOld, // also after a lost connection, when a notification may have been missed
  );
  listening.catch((error: unknown) => {
    log.warn('REST schema change notifications aren’t available.', {
      reason: describeErrorForLog(error),
    });
  });

  function reload(): void {
    const before = current;
    readAt = performance.now();
    current = read().catch((error: unknown) => {
      log.warn('Couldn’t read the REST schema.', { reason: describeErrorForLog(error) });
      current = before;
      if (before) return before;
      throw error;
    });
    current.catch(() => {}); // callers of `get` receive the error; there may be none
  }

  function reloadIfOld(): void {
    if (performance.now() - readAt > restLimits.schemaReloadMs) reload();
  }

  async function read(): Promise<Catalog> {
    const catalog = await readCatalog(sql, schemas);
    for (const { name, relations, functions } of catalog.schemas.values()) {
      const counts = { relations: relations.size, functions: functions.size };
      log.info('Read the REST schema.', { schema: name, ...counts });
    }
    return catalog;
  }

  async function get(): Promise<Catalog> {
    if (!current) reload();
    const reading = current;
    if (!reading) throw new Error('the schema is not loaded');
    return await reading;
  }

  return {
    get,
    async getFresh() {
      reloadIfOld();
      return await get();
    },
    async close() {
      await sql.end({ timeout: 5 });
    },
  };
}
