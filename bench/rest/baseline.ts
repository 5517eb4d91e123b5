import type { DatabaseAddress } from '@vitrine/backend/postgres';
import { Hono } from 'hono';
import postgres from 'postgres';

/** The claims of every request, on both sides. */
export const claims = { role: 'authenticated', sub: '00000000-0000-4000-8000-000000000001' };

const settings = `select set_config('role', $1, true), set_config('request.jwt.claims', $2, true),
  set_config('request.method', $3, true), set_config('request.path', $4, true),
  set_config('statement_timeout', $5, true), set_config('search_path', $6, true)`;

const readOne = `select coalesce(json_agg(r), '[]')::text as body, count(*)::int4 as rows
  from (select * from public.works where id = $1::int) r`;

const readList = `select coalesce(json_agg(r), '[]')::text as body, count(*)::int4 as rows from (
  select id, title, likes, made_at, (
    select row_to_json(m) from (select id, name from public.makers where makers.id = works.maker_id) m
  ) as maker
  from public.works where is_public is true order by likes desc limit $1::int
) r`;

const insertNote = `insert into public.notes (body) values ($1)`;

/**
 * The baseline: Hono and postgres.js with hand-written endpoints, the same SQL as ours in the
 * same kind of transaction, settings and statement sent together.
 */
export function createBaseline(database: DatabaseAddress): Hono {
  const sql = postgres({ ...database, max: 10 });
  const app = new Hono();

  async function query(mode: string, method: string, path: string, text: string, value: string) {
    const values = [
      'authenticated',
      JSON.stringify(claims),
      method,
      path,
      '3000',
      'public, extensions',
    ];
    const [, rows] = await sql.begin(mode, (tx) => [
      tx.unsafe(settings, values, { prepare: true }),
      tx.unsafe(text, [value], { prepare: true }),
    ]);
    return rows[0]?.['body'] as string;
  }
  const json = { 'content-type': 'application/json; charset=utf-8' };

  app.get('/rest/v1/works', async (c) => {
    const id = c.req.query('id');
    const body = id
      ? await query('read only', 'GET', c.req.path, readOne, id.slice('eq.'.length))
      : await query('read only', 'GET', c.req.path, readList, c.req.query('limit') ?? '20');
    return c.body(body, 200, json);
  });
  app.post('/rest/v1/notes', async (c) => {
    const { body } = await c.req.json<{ body: string }>();
    await query('read write', 'POST', c.req.path, insertNote, body);
    return c.body(null, 201);
  });
  return app;
}
