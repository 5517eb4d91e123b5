import type { Caller } from './caller.ts';
import type { Preferences } from './preferences.ts';
import type { AnswerForm } from './request-headers.ts';
import { RestError } from './rest-error.ts';
import type { SchemaCache } from './schema-cache.ts';
import type { Relation, Schema } from './schema.ts';
import type { RequestFacts } from './transaction.ts';

/** A request whose headers have been read. */
export interface RestRequest {
  request: Request;
  caller: Caller;
  params: URLSearchParams;
  form: AnswerForm;
  preferences: Preferences;
  facts: RequestFacts;
}

export async function getRelation(
  cache: SchemaCache,
  name: string,
): Promise<{ schema: Schema; relation: Relation }> {
  const known = await cache.get();
  const schema = known.relations.has(name) ? known : await cache.getFresh();
  const relation = schema.relations.get(name);
  if (relation) return { schema, relation };
  const shown = name.slice(0, 100);
  throw new RestError(
    404,
    'PGRST205',
    `Could not find the table 'public.${shown}' in the schema cache`,
  );
}
