import type { ResponseFormat } from '../response-format.ts';
import type { Caller } from '../caller.ts';
import type { RequestPreferences } from './preferences.ts';
import { RestError } from '../rest-error.ts';
import type { SchemaCache } from '../schema/schema-cache.ts';
import type { Catalog, Relation, Schema } from '../schema/schema.ts';
import type { SessionPool } from '../session-pool.ts';
import type { RestRequestContext } from '../transaction.ts';

/** A request with parsed headers, and everything needed to respond. */
export interface RestRequest {
  request: Request;
  caller: Caller;
  params: URLSearchParams;
  format: ResponseFormat;
  preferences: RequestPreferences;
  context: RestRequestContext;
  /** Schema in `Accept-Profile` (reads) or `Content-Profile` (writes). */
  profile: string | null;
  cache: SchemaCache;
  pool: SessionPool;
}

/** Finds the requested schema; reloads it when `has` is false for the cached one. */
export async function findSchema(
  { cache, caller, profile }: RestRequest,
  has: (schema: Schema) => boolean,
): Promise<Schema> {
  const known = chooseSchema(await cache.get(), profile);
  return applyRowLimit(caller, has(known) ? known : chooseSchema(await cache.getFresh(), profile));
}

/** Applies the row limit of the caller's role. */
function applyRowLimit({ role }: Caller, schema: Schema): Schema {
  const { settings } = schema;
  const roleLimit = settings.maxRowsByRole.get(role);
  if (roleLimit === undefined || roleLimit >= settings.maxRows) return schema;
  return { ...schema, settings: { ...settings, maxRows: roleLimit } };
}

function chooseSchema({ settings, schemas }: Catalog, profile: string | null): Schema {
  const schema = schemas.get(profile ?? settings.schemas[0] ?? '');
  if (schema) return schema;
  throw new RestError(406, 'PGRST106', `Invalid schema: ${profile?.slice(0, 100)}`, {
    hint: `Only the following schemas are exposed: ${settings.schemas.join(', ')}`,
  });
}

export async function getRelation(
  restRequest: RestRequest,
  name: string,
): Promise<{ schema: Schema; relation: Relation }> {
  const schema = await findSchema(restRequest, ({ relations }) => relations.has(name));
  const relation = schema.relations.get(name);
  if (relation) return { schema, relation };
  const shown = name.slice(0, 100);
  throw new RestError(
    404,
    'PGRST205',
    `Could not find the table '${schema.name}.${shown}' in the schema cache`,
  );
}
