import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { extraSchemaSql } from './extra-schema.ts';
import { openLibrary, type Library } from './library.ts';

let library: Library;
beforeAll(async () => {
  library = await openLibrary({
    more: extraSchemaSql,
    settings: { db_schemas: 'public, annex', db_plan_enabled: 'true' },
  });
}, 60_000);
afterAll(() => library.close());

const json = { 'content-type': 'application/json' };

async function call(name: string, args: object, headers: Record<string, string> = {}) {
  return await library.request(`rpc/${name}`, {
    as: 'alice',
    method: 'POST',
    headers: { ...json, ...headers },
    body: JSON.stringify(args),
  });
}

async function write(path: string, method: string, rows: unknown, prefer: string) {
  return await library.request(path, {
    as: 'alice',
    method,
    headers: { ...json, prefer },
    body: JSON.stringify(rows),
  });
}

describe('rows as CSV', () => {
  test('start with the column names, and are quoted where necessary', async () => {
    const response = await library.request('books?select=id,title,price,words&order=id&limit=2', {
      headers: { accept: 'text/csv' },
    });
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(await response.text()).toBe(
      'id,title,price,words\n1,"Tides, and (other) waves",9.5000000000,"{sea,salt}"\n2,Stars,12.0000000001,{night}',
    );
  });
  test('are empty when there are none', async () => {
    const response = await library.request('books?id=eq.0', { headers: { accept: 'text/csv' } });
    expect([response.status, await response.text()]).toEqual([200, '']);
  });
});

describe('a plan, when enabled', () => {
  const plan = (accept: string) => library.request('books?select=id', { headers: { accept } });
  test('is JSON or text', async () => {
    const answer = await plan('application/vnd.pgrst.plan+json; options=verbose|settings');
    expect(await answer.json()).toMatchObject([{ Plan: { 'Node Type': 'Aggregate' } }]);
    const text = await plan('application/vnd.pgrst.plan; for="text/csv"');
    expect(await text.text()).toMatch(/^Aggregate {2}\(cost=/);
  });
  test('rejects options that PostgREST does not have', async () => {
    expect((await plan('application/vnd.pgrst.plan+json; options=generic_plan')).status).toBe(406);
    expect((await plan('application/vnd.pgrst.plan; for="text/html"')).status).toBe(406);
  });
});

describe('a schema', () => {
  const profile = (name: string) => ({ headers: { 'accept-profile': name } });
  test('is selected by a header, and the first is the default', async () => {
    const response = await library.request('books', profile('annex'));
    expect(await response.json()).toEqual([{ id: 1, place: 'cellar' }]);
    expect(response.headers.get('content-profile')).toBe('annex');
    expect((await library.request('books?select=title&id=eq.2')).status).toBe(200);
    const sum = await call('add', { a: 1, b: 2 }, { 'content-profile': 'annex' });
    expect(await sum.json()).toBe('annex 3');
  });
  test('rejects one that is not exposed, and lists those that are (BF-4, DB-20)', async () => {
    for (const name of ['auth', 'pg_catalog', 'extensions', 'public, annex', '']) {
      const response = await library.request('books', profile(name));
      expect(response.status).toBe(406);
      expect(await response.json()).toMatchObject({
        code: 'PGRST106',
        hint: 'Only the following schemas are exposed: public, annex',
      });
    }
  });
  test('is reloaded on notification', async () => {
    expect((await library.request('late')).status).toBe(404);
    await library.sql`create table public.late (id int)`;
    await library.sql`notify pgrst, 'reload schema'`;
    await expect.poll(async () => (await library.request('late')).status).toBe(200);
  });
});

describe('a function', () => {
  test('sets the status and headers of the response', async () => {
    const headers = '[{"x-shelf":"low"},{"cache-control":"max-age=1"}]';
    const answer = await call('set_answer', { status: '418', headers });
    expect([answer.status, answer.headers.get('x-shelf')]).toEqual([418, 'low']);
    expect(await answer.json()).toBe('done');
    expect(await (await call('set_answer', { status: 'x', headers: '' })).json()).toMatchObject({
      code: 'PGRST112',
    });
    for (const wrong of ['{}', '[{"a":1}]', '[{"a":"b","c":"d"}]', '[3]', 'x']) {
      const refused = await call('set_answer', { status: '', headers: wrong });
      expect([refused.status, await refused.json()]).toMatchObject([500, { code: 'PGRST111' }]);
    }
    // The next request is unaffected.
    expect((await call('add', { a: 1 })).status).toBe(200);
  });
  test('raises its own response (BF-12)', async () => {
    const message = '{"code":"shelf_full","message":"No room","hint":"Buy a shelf"}';
    const detail = '{"status":402,"headers":{"x-room":"none"}}';
    const answer = await call('raise_answer', { message, detail });
    expect([answer.status, answer.headers.get('x-room')]).toEqual([402, 'none']);
    expect(await answer.json()).toEqual({
      code: 'shelf_full',
      message: 'No room',
      details: null,
      hint: 'Buy a shelf',
    });
    const wrong = await call('raise_answer', { message: 'No room', detail });
    expect([wrong.status, await wrong.json()]).toMatchObject([500, { code: 'PGRST121' }]);
  });
  test('takes the whole body as its single unnamed argument', async () => {
    const answer = await library.request('rpc/loud', {
      method: 'POST',
      headers: { 'content-type': 'text/plain' },
      body: 'sea & "moss"',
    });
    expect(await answer.json()).toBe('SEA & "MOSS"');
    expect(await (await call('loud', { a: 1 })).json()).toMatchObject({ code: 'PGRST202' });
  });
  test('is chosen from overloads by arguments, or reported as ambiguous', async () => {
    expect(await (await call('either', { a: 1 })).json()).toMatchObject({
      code: 'PGRST203',
      message:
        'Could not choose the best candidate function between: public.either(a => integer), public.either(a => text)',
    });
    expect(await (await call('either', { b: 1, c: 2 })).json()).toMatchObject({
      code: 'PGRST202',
      details:
        'Searched for the function public.either with parameters b, c or with a single unnamed json/jsonb parameter, but no matches were found in the schema cache.',
    });
  });
  test('takes a list from a repeated parameter', async () => {
    const words = await library.request('rpc/join_words?words=sea&words=a%2C%22b');
    expect(await words.json()).toBe('sea a,"b');
    expect((await library.request('rpc/add?a=1&a=2')).status).toBe(400);
  });
  test('is rolled back when it affects too many rows', async () => {
    const prefer = { prefer: 'handling=strict, max-affected=1' };
    const refused = await call('relabel', { shelf: 1, label: 'gone' }, prefer);
    expect([refused.status, await refused.json()]).toMatchObject([400, { code: 'PGRST124' }]);
    expect(await library.sql`select from public.shelves where label = 'gone'`).toHaveLength(0);
    const value = await call('add', { a: 1 }, prefer);
    expect([value.status, await value.json()]).toMatchObject([400, { code: 'PGRST128' }]);
  });
});

describe('a write', () => {
  test('responds with 200 when all rows exist, and 201 when one is new', async () => {
    const prefer = 'resolution=merge-duplicates';
    const rows = [
      { id: 1, label: 'low' },
      { id: 2, label: 'high' },
    ];
    expect((await write('shelves', 'POST', rows, prefer)).status).toBe(200);
    expect((await write('shelves', 'POST', rows, prefer)).headers.get('location')).toBeNull();
    const more = [...rows, { id: 3, label: 'third' }];
    expect((await write('shelves', 'POST', more, `${prefer}, tx=rollback`)).status).toBe(201);
    const shown = await write('shelves', 'POST', rows, `${prefer}, return=representation`);
    expect([shown.status, await shown.json()]).toMatchObject([200, rows]);
  });
  test('of several rows uses defaults for missing values', async () => {
    const rows = [{ id: 50, label: 'a' }, { room: 7 }];
    const prefer = 'missing=default, return=representation, tx=rollback';
    const answer = await write('shelves?columns=id,label,room', 'POST', rows, prefer);
    expect(await answer.json()).toEqual([
      { id: 50, label: 'a', room: null },
      { id: expect.any(Number), label: 'new', room: 7 },
    ]);
  });
  test('uses a sequence in a schema that the connection’s role cannot use', async () => {
    const answer = await library.request('racks?columns=id,label', {
      as: 'alice',
      method: 'POST',
      headers: {
        ...json,
        'content-profile': 'annex',
        prefer: 'missing=default, return=representation',
      },
      body: '[{"label":"a"},{"label":"b"}]',
    });
    expect(await answer.json()).toEqual([
      { id: 1, label: 'a' },
      { id: 2, label: 'b' },
    ]);
  });
  test('of no columns changes nothing', async () => {
    expect((await write('shelves?id=eq.1', 'PATCH', {}, '')).status).toBe(204);
    expect((await write('shelves?id=eq.1', 'PATCH', [], '')).status).toBe(400);
  });
  test('returns computed columns and relationships', async () => {
    const prefer = 'return=representation, tx=rollback';
    const select = 'label_of,books_with(id),...books(title)';
    const answer = await write(`tags?id=eq.3&select=${select}`, 'PATCH', { label: 'fern' }, prefer);
    expect(await answer.json()).toEqual([
      { label_of: 'FERN', books_with: [{ id: 4 }], title: ['Moss "soft"'] },
    ]);
  });
});

test('counts exactly what the caller may see, whichever count is requested (DB-04)', async () => {
  for (const count of ['exact', 'planned', 'estimated']) {
    const headers = { prefer: `count=${count}` };
    const hidden = await library.request('books?is_public=is.false', { method: 'HEAD', headers });
    expect(hidden.headers.get('content-range')).toBe('*/0');
    expect(hidden.headers.get('preference-applied')).toBe('count=exact');
    const value = await library.request('rpc/add?a=1', { headers });
    expect(value.headers.get('content-range')).toBe('0-0/1');
    const rows = await library.request('rpc/books_after?page_count=0&select=shout&limit=1', {
      headers,
    });
    expect(rows.headers.get('content-range')).toBe('0-0/3');
  }
});

test('supports bounded regular expressions (DB-21)', async () => {
  const titles = async (filter: string) =>
    (await (await library.request(`books?select=id&order=id&${filter}`)).json()) as unknown;
  expect(await titles('title=match.^[ST]')).toEqual([{ id: 1 }, { id: 2 }]);
  expect(await titles('title=imatch(any).{^st,soft}')).toEqual([{ id: 2 }, { id: 4 }]);
});

describe('Prefer: timezone', () => {
  const read = (prefer: string) =>
    library.request('books?select=printed_at&id=eq.1', { headers: { prefer } });

  test('formats timestamps, for this request only', async () => {
    const there = await read('timezone=America/Los_Angeles');
    expect(there.headers.get('preference-applied')).toBe('timezone=America/Los_Angeles');
    expect(await there.json()).toEqual([{ printed_at: '2024-02-29T04:00:00.123456-08:00' }]);
    const here = await read('');
    expect(await here.json()).toEqual([{ printed_at: '2024-02-29T12:00:00.123456+00:00' }]);
  });

  test('is ignored when unknown, and rejected with handling=strict', async () => {
    expect((await read('timezone=Mars/Olympus')).status).toBe(200);
    expect((await read('handling=strict, timezone=Mars/Olympus')).status).toBe(400);
    expect((await read("handling=strict, timezone=UTC'; select")).status).toBe(400);
  });
});

describe('settings of the database', () => {
  const apply = async (statement: string) => {
    await library.sql.unsafe(`${statement}; notify pgrst, 'reload config'`);
  };

  test('limit the rows of a role, also in embedded lists (DB-22)', async () => {
    await apply(`alter role anon set pgrst.db_max_rows = '2'`);
    const count = async (as: string) =>
      ((await (await library.request('books?select=id', { as })).json()) as unknown[]).length;
    await expect.poll(() => count('visitor')).toBe(2);
    expect(await count('alice')).toBe(4);
    const tags = await library.request('tags?select=id,books(id)&limit=1');
    expect(await tags.json()).toHaveLength(1);
    await apply('alter role anon reset pgrst.db_max_rows');
    await expect.poll(() => count('visitor')).toBe(3);
  });

  test('name a function that is called before each request, as the caller', async () => {
    await library.sql.unsafe(`
      create function public.guard() returns void language plpgsql as $$
        begin
          if current_setting('request.headers')::json ->> 'user-agent' = 'unwanted' then
            raise sqlstate 'PT403' using message = 'not you, ' || current_user;
          end if;
        end $$;
      alter role authenticator set pgrst.db_pre_request = 'public.guard'`);
    await apply('select 1');
    const ask = (agent: string, method = 'GET') =>
      library.request('books?id=eq.1', { method, headers: { 'user-agent': agent } });
    await expect.poll(async () => (await ask('unwanted')).status).toBe(403);
    expect(await (await ask('unwanted')).json()).toMatchObject({ message: 'not you, anon' });
    expect((await ask('unwanted', 'DELETE')).status).toBe(403);
    expect(
      (await library.request('rpc/add?a=1', { headers: { 'user-agent': 'unwanted' } })).status,
    ).toBe(403);
    expect((await ask('welcome')).status).toBe(200);
    await apply('alter role authenticator reset pgrst.db_pre_request');
    await expect.poll(async () => (await ask('unwanted')).status).toBe(200);
  });
});
