import { describeReason } from '../log.ts';
import type { Log } from '../log.ts';
import { connectDatabase, type DatabaseAddress } from '../postgres/index.ts';
import { restLimits } from './limits.ts';
import { readCatalogue } from './read-schema.ts';
import type { Catalogue } from './schema.ts';

/** The schema as last read; read again when told so, and when it seems to be out of date. */
export interface SchemaCache {
  get(): Promise<Catalogue>;
  /**
   * The schema for a request that met a name it does not know. A migration run by a tool that
   * sends no notice would otherwise stay unseen until a restart; asking for nonsense again and
   * again costs one reading in some seconds.
   */
  getFresh(): Promise<Catalogue>;
  close(): Promise<void>;
}

export function openSchemaCache(
  database: DatabaseAddress,
  schemas: readonly string[],
  log: Log,
): SchemaCache {
  const sql = connectDatabase(database, { max: 1 });
  let readAt = 0;
  // Undefined while the last attempt has failed and there is nothing older.
  let current: Promise<Catalogue> | undefined;
  reload();

  const listening = sql.listen(
    'pgrst',
    (message) => {
      if (['', 'reload schema', 'reload config'].includes(message)) reload();
    },
    reloadIfOld, // also after the connection was lost, when a notice may have been missed
  );
  listening.catch((error: unknown) => {
    log.warn('rest: schema changes will not be heard', { reason: describeReason(error) });
  });

  function reload(): void {
    const before = current;
    readAt = performance.now();
    current = read().catch((error: unknown) => {
      log.warn('rest: the schema could not be read', { reason: describeReason(error) });
      current = before;
      if (before) return before;
      throw error;
    });
    current.catch(() => {}); // whoever asks for the schema gets the error; nobody may have asked
  }

  function reloadIfOld(): void {
    if (performance.now() - readAt > restLimits.schemaReloadMs) reload();
  }

  async function read(): Promise<Catalogue> {
    const catalogue = await readCatalogue(sql, schemas);
    for (const { name, relations, functions } of catalogue.schemas.values()) {
      const counts = { relations: relations.size, functions: functions.size };
      log.info('rest: schema read', { schema: name, ...counts });
    }
    return catalogue;
  }

  async function get(): Promise<Catalogue> {
    if (!current) reload();
    const reading = current;
    if (!reading) throw new Error('the schema is being read and is nowhere');
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
