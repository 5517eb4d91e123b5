import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseFilter, parseGroup } from '../../src/rest/request/filter-grammar.ts';
import { csvBody } from '../../src/rest/sql/rows-as-text-sql.ts';
import { parseOrder } from '../../src/rest/request/order-grammar.ts';
import { RestError } from '../../src/rest/rest-error.ts';
import { parseSelect } from '../../src/rest/request/select-grammar.ts';
import { fuzzTimeoutMs, createFuzzParameters } from '../fuzz-settings.ts';
import { attack, hostileRequest, type HostileRequest } from './hostile-requests.ts';
import { extraSchemaSql } from './extra-schema.ts';
import { openLibrary, type Library } from './library.ts';

let library: Library;
beforeAll(async () => {
  // One session, so that all its statements can be listed.
  library = await openLibrary({
    sessions: 1,
    more: extraSchemaSql,
    settings: { db_aggregates_enabled: 'true' },
  });
}, 60_000);
afterAll(() => library.close());

async function send({
  target: name,
  method,
  parameters,
  headers: given,
  body: text,
}: HostileRequest) {
  const query = parameters
    .map(
      ([key, word]) =>
        `${encodeURIComponent(key.toWellFormed())}=${encodeURIComponent(word.toWellFormed())}`,
    )
    .join('&');
  const reads = method === 'GET' || method === 'HEAD';
  const request = new Request(`http://rest.test/rest/v1/${name}?${query}`, {
    method,
    headers: { 'content-type': 'application/json', ...given },
    ...(reads ? {} : { body: text }),
  });
  const caller = {
    role: 'authenticated',
    claims: { role: 'authenticated', sub: '00000000-0000-4000-8000-00000000000a' },
  } as const;
  return await library.rest.handle(request, caller);
}

/** Words and symbols of generated SQL; anything else in a statement must be quoted. */
const ourWords = new Set(
  `select from where and or not is null true false unknown distinct as order by asc desc nulls first last
  limit offset in any all like ilike exists case when then else end cast insert into update delete set
  values default on conflict do nothing excluded returning with source materialized lateral variadic
  row_to_json json_agg coalesce count json_strip_nulls to_json json_to_record json_to_recordset
  jsonb_to_record jsonb_array_elements jsonb_build_object jsonb_build_array items item body rows total
  set_config to_tsvector to_tsquery plainto_tsquery phraseto_tsquery websearch_to_tsquery regconfig
  text int4 int8 int json jsonb integer bigint numeric boolean uuid timestamp time zone without date
  int4range tsvector varying character r e v mood public auth uid nextval citext extensions
  left join on group by sum avg max min to_jsonb status headers updated current_setting nullif`.split(
    /\s+/,
  ),
);

function findForeign(statement: string): string[] {
  const bare = statement
    .replaceAll(csvBody, ' ')
    .replace(/"(?:[^"]|"")*"/g, ' ')
    .replace(/nextval\('public\.\w+'(?:::regclass)?\)|'\[\]'|'null'|'\{\}'|'calm'|\$\d+/g, ' ')
    .replace(
      /'english'|'request\.\w+(?:\.claims)?'|'role'|'statement_timeout'|'search_path'|'timezone'|'response\.(?:status|headers)'|'vitrine\.updated'|''|'0'/g,
      ' ',
    );
  const words = bare.match(/[^\s(),.:*=<>@&|~+[\]-]+/g) ?? [];
  const foreign = words.filter((word) => !/^\d+$/.test(word) && !ourWords.has(word));
  return /--|\/\*|;|'/.test(bare) ? [...foreign, bare] : foreign;
}

const seed = { seed: Number(process.env['SEED'] ?? Date.now() % 2 ** 31) };

describe('any request', () => {
  test(
    'is answered or rejected, and only generated SQL reaches the database',
    async () => {
      const passed = { ok: 0, refused: 0 };
      const checked = new Set<string>();
      await fc.assert(
        fc.asyncProperty(
          fc.array(hostileRequest, { minLength: 10, maxLength: 10 }),
          async (requests) => {
            for (const request of requests) {
              const response = await send(request);
              const text = await response.text();
              expect(response.status, text).toBeLessThan(500);
              if (response.status < 300) passed.ok++;
              else passed.refused++;
              if (response.status >= 300 && text !== '') {
                const refusal = JSON.parse(text) as Record<string, unknown>;
                expect(Object.keys(refusal).sort()).toEqual(['code', 'details', 'hint', 'message']);
                // PostgreSQL's syntax error; one in a text search is the caller's own.
                const isOfSearch = /in tsquery/.test(String(refusal['message']));
                if (!isOfSearch) expect(refusal['code'], text).not.toBe('42601');
                expect(text).not.toMatch(/json_agg|set_config|"t\d"|node_modules|\/rest\/|\.ts\b/);
              }
            }
            const response = await library.request('rpc/statements');
            for (const statement of (await response.json()) as string[]) {
              if (!checked.has(statement)) expect(findForeign(statement), statement).toEqual([]);
              checked.add(statement);
            }
          },
        ),
        { ...createFuzzParameters(150, 0.5), ...seed },
      );
      // The requests are neither all nonsense nor all harmless.
      expect(passed.ok).toBeGreaterThan(50);
      expect(passed.refused).toBeGreaterThan(200);
      expect(checked.size).toBeGreaterThan(50);
      expect(await library.sql`select note from public.canary`).toEqual([{ note: 'alive' }]);
    },
    2 * fuzzTimeoutMs,
  );

  test('the check of statements detects foreign SQL', () => {
    expect(findForeign('select "t0"."a;b" from "public"."books" as "t0" limit $1')).toEqual([]);
    expect(findForeign('select "t0"."id" from "public"."books"; drop table x')).not.toEqual([]);
    expect(findForeign(`select "t0"."id" from "books" where 'a' = 'b'`)).not.toEqual([]);
  });
});

test(
  'finds the row with any value, in every notation',
  async () => {
    const anyLabel = fc
      .oneof(
        attack.map((one) => one.toWellFormed()),
        fc.string({ unit: 'grapheme', maxLength: 20 }),
      )
      .filter((label) => !label.includes('\0'));
    const alice = library.as('alice');
    await fc.assert(
      fc.asyncProperty(anyLabel, async (label) => {
        await alice.from('tags').upsert({ id: 500, label }).throwOnError();
        const quotedLabel = `"${label.replace(/["\\]/g, '\\$&')}"`;
        const key = encodeURIComponent(quotedLabel);
        for (const filter of [
          `label=eq.${encodeURIComponent(label)}`,
          `label=in.(${key})`,
          `or=(label.eq.${key},id.eq.-1)`,
          `not.and=(label.neq.${key},id.gt.-1)`,
        ]) {
          const response = await library.request(`tags?select=label&id=eq.500&${filter}`, {
            as: 'alice',
          });
          expect(await response.json(), filter).toEqual([{ label }]);
        }
      }),
      { ...createFuzzParameters(60, 0.2), ...seed },
    );
  },
  fuzzTimeoutMs,
);

test(
  'accepts any short name as an alias, and returns it unchanged',
  async () => {
    const name = fc
      .oneof(
        attack.map((one) => one.toWellFormed()),
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }),
      )
      .filter(
        (one) =>
          one.trim() !== '' &&
          !one.includes('\0') &&
          Buffer.byteLength(one) <= 63 &&
          one !== '__proto__',
      );
    // An earlier request may have deleted it.
    await library.sql`insert into public.tags values (1, 'there') on conflict do nothing`;
    await fc.assert(
      fc.asyncProperty(name, async (alias) => {
        const select = encodeURIComponent(`"${alias.replace(/["\\]/g, '\\$&')}":id`);
        const response = await library.request(`tags?id=eq.1&select=${select}`);
        expect(await response.json()).toEqual([{ [alias]: 1 }]);
      }),
      { ...createFuzzParameters(60, 0.2), ...seed },
    );
  },
  fuzzTimeoutMs,
);

test('binds claims and headers', async () => {
  const claims = { role: 'authenticated', sub: `'; update canary set note = 'dead'; --` };
  const request = new Request('http://rest.test/rest/v1/rpc/add?a=1', {
    headers: { 'x-client-info': `'); select change_canary(); --`, origin: '"\\' },
  });
  const response = await library.rest.handle(request, { role: 'authenticated', claims });
  expect(await response.text()).toBe('11');
  expect(await library.sql`select note from public.canary`).toEqual([{ note: 'alive' }]);
});

// Last: during long runs, kept-alive connections would time out.
describe('any text', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc
      .array(
        fc.oneof(
          fc.constantFrom(
            ...`()."\\,:!->*{}`.split(''),
            'not.',
            'and(',
            'or(',
            '->>',
            '::',
            'id',
            'count()',
          ),
          attack,
        ),
        { maxLength: 30 },
      )
      .map((parts) => parts.join('')),
  );
  const column1 = { column: 'a', steps: [] };
  test.each([
    ['select', parseSelect],
    ['order', parseOrder],
    ['filter', (given: string) => parseFilter(column1, given)],
    ['or', (given: string) => parseGroup('or', false, given)],
  ])('as %s is parsed or rejected with a code', (_, parse) => {
    fc.assert(
      fc.property(text, (given) => {
        try {
          parse(given);
        } catch (error) {
          expect(error).toBeInstanceOf(RestError);
          expect((error as RestError).status).toBe(400);
        }
      }),
      { ...createFuzzParameters(3_000, 0.025), ...seed },
    );
  });
});
