import { describeReason } from '../log.ts';
import type { Log } from '../log.ts';
import { connectDatabase, type DatabaseAddress } from '../postgres/index.ts';
import { restLimits } from './limits.ts';
import { readSchema } from './read-schema.ts';
import type { Schema } from './schema.ts';

/** The schema as last read; read again when told so, and when it seems to be out of date. */
export interface SchemaCache {
  get(): Promise<Schema>;
  /**
   * The schema for a request that met a name it does not know. A migration run by a tool that
   * sends no notice would otherwise stay unseen until a restart; asking for nonsense again and
   * again costs one reading in some seconds.
   */
  getFresh(): Promise<Schema>;
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
  let current: Promise<Schema> | undefined;
  reload();

  const listening = sql.listen(
    'pgrst',
    (message) => {
      if (message === '' || message === 'reload schema') reload();
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

  async function read(): Promise<Schema> {
    const schema = await readSchema(sql, schemas);
    const { relations, functions } = schema;
    log.info('rest: schema read', { relations: relations.size, functions: functions.size });
    return schema;
  }

  async function get(): Promise<Schema> {
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
