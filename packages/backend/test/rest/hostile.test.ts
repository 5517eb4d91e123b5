import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseFilter, parseGroup } from '../../src/rest/filter-grammar.ts';
import { parseOrder } from '../../src/rest/order-grammar.ts';
import { RestError } from '../../src/rest/rest-error.ts';
import { parseSelect } from '../../src/rest/select-grammar.ts';
import { openLibrary, type Library } from './library.ts';

let library: Library;
beforeAll(async () => {
  // One session, so that it can be asked for every statement it was given.
  library = await openLibrary({ sessions: 1 });
});
afterAll(() => library.close());

/** Attempts to leave the place that a text is written to. */
const attacks = [
  `'; update canary set note = 'dead'; --`,
  `"; update canary set note = 'dead'; --`,
  `" from canary; --`,
  `1) union select note from canary --`,
  `x' or '1'='1`,
  `\\'; select change_canary(); --`,
  `change_canary()`,
  `(select change_canary())`,
  `id;select change_canary()`,
  `/**/or/**/1=1`,
  `$$;select 1;$$`,
  `$1`,
  `t0"."id`,
  `public.canary`,
  `auth.users`,
  `\u0000`,
  `%00`,
  `"`,
  `""`,
  `\\`,
  `{`,
  `}{`,
  `\ud800`,
  `constructor`,
  `__proto__`,
  `toString`,
  `ⓘ`,
  `a\r\nb`,
];

const attack = fc.constantFrom(...attacks);
const column = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      'id',
      'title',
      'data',
      'words',
      'price',
      'mood',
      'search',
      'during',
      'count',
    ),
  },
  { weight: 1, arbitrary: attack },
);
const relation = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom('tags', 'authors', 'summaries', 'author_id', 'books', 'book_tags'),
  },
  { weight: 1, arbitrary: attack },
);
const quoted = (text: fc.Arbitrary<string>) =>
  fc
    .tuple(text, fc.boolean())
    .map(([name, plain]) => (plain ? name : `"${name.replace(/["\\]/g, '\\$&')}"`));
const path = fc
  .tuple(
    quoted(column),
    fc.array(
      fc.tuple(
        fc.constantFrom('->', '->>'),
        quoted(fc.oneof(attack, fc.constantFrom('a', '0', '-1'))),
      ),
      { maxLength: 2 },
    ),
  )
  .map(([name, steps]) => name + steps.flat().join(''));
const operator = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      'eq',
      'neq',
      'gt',
      'lt',
      'like',
      'ilike',
      'in',
      'is',
      'cs',
      'cd',
      'ov',
      'fts',
      'wfts',
      'plfts(english)',
      'not.eq',
      'not.in',
      'eq(any)',
      'like(all)',
      'isdistinct',
      'adj',
    ),
  },
  {
    weight: 1,
    arbitrary: fc.oneof(attack, fc.constantFrom('match', 'fts(x)', 'eq(x)', 'between')),
  },
);
const value = fc.oneof(
  fc.constantFrom(
    '1',
    '(1,2)',
    '{a,b}',
    '{}',
    'null',
    'true',
    '[1,5)',
    '{"a":1}',
    'x*',
    '',
    'sea & !moss',
  ),
  attack,
  attack.map((text) => `("${text.replace(/["\\]/g, '\\$&')}",1)`),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
);
const test1 = fc.tuple(operator, value).map(([word, given]) => `${word}.${given}`);
const selectItem = fc.oneof(
  path,
  fc
    .tuple(quoted(fc.oneof(attack, fc.constant('alias'))), path)
    .map(([alias, given]) => `${alias}:${given}`),
  fc
    .tuple(path, fc.oneof(fc.constantFrom('text', 'int', 'regclass'), attack))
    .map(([given, cast]) => `${given}::${cast}`),
  fc
    .tuple(
      quoted(relation),
      fc.oneof(
        fc.constantFrom('', '!inner', '!author_id', '!left'),
        attack.map((text) => `!${text}`),
      ),
      path,
    )
    .map(([name, hint, inner]) => `${name}${hint}(${inner})`),
  fc.constantFrom('*', 'count()', ''),
);
const anyParameter = fc.oneof(
  fc
    .array(selectItem, { maxLength: 4 })
    .map((items): [string, string] => ['select', items.join(',')]),
  fc.tuple(path, test1),
  fc.tuple(
    fc.tuple(relation, path).map((parts) => parts.join('.')),
    test1,
  ),
  fc
    .tuple(
      fc.constantFrom('or', 'and', 'not.or', 'tags.or'),
      fc.array(fc.tuple(path, test1), { minLength: 1, maxLength: 3 }),
    )
    .map(([key, tests]): [string, string] => [
      key,
      `(${tests.map((pair) => pair.join('.')).join(',')})`,
    ]),
  fc.tuple(
    fc.constantFrom('order', 'tags.order'),
    fc
      .tuple(
        fc.oneof(
          path,
          fc.tuple(relation, path).map(([a, b]) => `${a}(${b})`),
        ),
        fc.oneof(fc.constantFrom('', '.asc', '.desc.nullslast'), attack),
      )
      .map((parts) => parts.join('')),
  ),
  fc.tuple(
    fc.constantFrom('limit', 'offset', 'columns', 'on_conflict'),
    fc.oneof(fc.constantFrom('1', 'id', 'id,title'), attack),
  ),
  fc.tuple(fc.oneof(attack, fc.constantFrom('a', 'b', 'last', 'value')), value),
);
/** A text in double quotes, as a name or value that may hold anything. */
const inQuotes = attack
  .filter((text) => !text.includes('\0'))
  .map((text) => `"${text.toWellFormed().replace(/["\\]/g, '\\$&')}"`);
/** Parameters that the grammar allows, with attacks where anything may stand. */
const sane = fc.oneof(
  fc.tuple(
    fc.constantFrom('select'),
    fc.tuple(inQuotes, path1()).map(([alias, given]) => `${alias}:${given}`),
  ),
  fc.tuple(
    fc.constant('title'),
    fc
      .tuple(fc.constantFrom('eq', 'neq', 'not.like', 'wfts'), attack)
      .map((parts) => parts.join('.')),
  ),
  fc.tuple(
    fc.constant('title'),
    fc.array(inQuotes, { maxLength: 3 }).map((all) => `in.(${all.join(',')})`),
  ),
  fc.tuple(
    fc.constantFrom('or', 'not.and'),
    inQuotes.map((text) => `(title.eq.${text},id.gt.1)`),
  ),
  fc.tuple(
    inQuotes.map((key) => `data->>${key}`),
    fc.constantFrom('is.null', 'eq.1'),
  ),
  fc.constantFrom<[string, string]>(
    ['order', 'id.desc'],
    ['limit', '2'],
    ['offset', '1'],
    ['id', 'lt.3'],
    ['id', 'in.(1,2)'],
    ['select', 'id,tags!inner(label)'],
    ['select', '*,author_id(name)'],
    ['select', 'id,pages::text'],
  ),
);
function path1() {
  return fc.oneof(
    fc.constantFrom('id', 'title', 'data->a'),
    inQuotes.map((key) => `data->${key}`),
  );
}
const parameter = fc.oneof({ weight: 5, arbitrary: sane }, { weight: 1, arbitrary: anyParameter });
const target = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      'books',
      'authors',
      'cheap_books',
      'rpc/pairs',
      'rpc/add',
      'rpc/books_after',
      'rpc/echo',
    ),
  },
  { weight: 1, arbitrary: attack.map((text) => encodeURIComponent(text.toWellFormed())) },
  { weight: 1, arbitrary: attack.map((text) => `rpc/${encodeURIComponent(text.toWellFormed())}`) },
);
const saneBody = fc.oneof(
  attack.map((title) => JSON.stringify({ title })),
  attack.map((text) =>
    JSON.stringify([
      { title: 'x', data: { [text]: text } },
      { title: 'y', data: null },
    ]),
  ),
);
const headerText = attack.map((text) => text.replace(/[^\x20-\x7e]/g, '?'));
const headers = fc.record(
  {
    prefer: fc
      .array(
        fc.oneof(
          fc.constantFrom(
            'count=exact',
            'return=representation',
            'return=headers-only',
            'resolution=merge-duplicates',
            'missing=default',
            'handling=strict',
            'max-affected=1',
            'tx=rollback',
            'count=planned',
          ),
          headerText,
        ),
        { maxLength: 3 },
      )
      .map((all) => all.join(',')),
    accept: fc.oneof(
      fc.constantFrom(
        'application/json',
        'application/vnd.pgrst.object+json',
        'application/vnd.pgrst.array+json;nulls=stripped',
      ),
      headerText,
    ),
    range: fc.oneof(fc.constantFrom('0-1', '1-'), headerText),
    'accept-profile': fc.oneof(fc.constant('public'), headerText),
    'x-client-info': headerText,
  },
  { requiredKeys: [] },
);
const saneHeaders = fc.record(
  {
    prefer: fc.constantFrom(
      'count=exact',
      'return=representation',
      'return=representation,missing=default',
      'return=headers-only',
      'tx=rollback',
    ),
    'x-client-info': headerText,
  },
  { requiredKeys: [] },
);
const body = fc.oneof(
  fc.constant('{"title":"new","pages":1}'),
  fc
    .array(
      fc.dictionary(
        fc.oneof(column, fc.constantFrom('a', 'last', 'page_count')),
        fc.jsonValue({ maxDepth: 2 }),
        { maxKeys: 3 },
      ),
      { maxLength: 3 },
    )
    .map((rows) => JSON.stringify(rows.length === 1 ? rows[0] : rows)),
  fc.tuple(column, fc.oneof(value, attack)).map(([key, text]) => JSON.stringify({ [key]: text })),
  attack,
);
const hostileRequest = fc.record({
  target,
  method: fc.constantFrom('GET', 'GET', 'HEAD', 'POST', 'PATCH', 'DELETE'),
  parameters: fc.array(parameter, { maxLength: 3 }),
  headers: fc.oneof({ weight: 3, arbitrary: saneHeaders }, { weight: 1, arbitrary: headers }),
  body: fc.oneof({ weight: 3, arbitrary: saneBody }, { weight: 1, arbitrary: body }),
});

type HostileRequest = typeof hostileRequest extends fc.Arbitrary<infer T> ? T : never;

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
    headers: { ...given, 'content-type': 'application/json' },
    ...(reads ? {} : { body: text }),
  });
  const caller = {
    role: 'authenticated',
    claims: { role: 'authenticated', sub: '00000000-0000-4000-8000-00000000000a' },
  } as const;
  return await library.rest.handle(request, caller);
}

/** Words and signs of the SQL that we write; whatever else a statement holds must be in quotes. */
const ourWords = new Set(
  `select from where and or not is null true false unknown distinct as order by asc desc nulls first last
  limit offset in any all like ilike exists case when then else end cast insert into update delete set
  values default on conflict do nothing excluded returning with source materialized lateral variadic
  row_to_json json_agg coalesce count json_strip_nulls to_json json_to_record json_to_recordset
  jsonb_to_record jsonb_array_elements jsonb_build_object jsonb_build_array items item body rows total
  set_config to_tsvector to_tsquery plainto_tsquery phraseto_tsquery websearch_to_tsquery regconfig
  text int4 int8 int json jsonb integer bigint numeric boolean uuid timestamp time zone without date
  int4range tsvector varying character r e v mood public auth uid nextval citext extensions`.split(
    /\s+/,
  ),
);

function findForeign(statement: string): string[] {
  const bare = statement
    .replace(/"(?:[^"]|"")*"/g, ' ')
    .replace(/nextval\('public\.\w+'::regclass\)|'\[\]'|'null'|'\{\}'|'calm'|\$\d+/g, ' ')
    .replace(
      /'english'|'request\.\w+(?:\.claims)?'|'role'|'statement_timeout'|'search_path'/g,
      ' ',
    );
  const words = bare.match(/[^\s(),.:*=<>@&|+[\]-]+/g) ?? [];
  const foreign = words.filter((word) => !/^\d+$/.test(word) && !ourWords.has(word));
  return /--|\/\*|;|'/.test(bare) ? [...foreign, bare] : foreign;
}

const seed = { seed: Number(process.env['FC_SEED'] ?? Date.now() % 2 ** 31) };

describe('whatever is asked', () => {
  test('is answered or refused, and only our own SQL reaches the database', async () => {
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
              expect(refusal['code'], text).not.toBe('42601'); // PostgreSQL's syntax error
              expect(text).not.toMatch(
                /json_agg|set_config|"t\d"|\$\d+::|node_modules|\/rest\/|\.ts\b/,
              );
            }
          }
          const response = await library.ask('rpc/statements');
          for (const statement of (await response.json()) as string[]) {
            if (!checked.has(statement)) expect(findForeign(statement), statement).toEqual([]);
            checked.add(statement);
          }
        },
      ),
      { numRuns: 150, ...seed },
    );
    // The requests are not all nonsense, and not all harmless.
    expect(passed.ok).toBeGreaterThan(50);
    expect(passed.refused).toBeGreaterThan(200);
    expect(checked.size).toBeGreaterThan(50);
    expect(await library.sql`select note from public.canary`).toEqual([{ note: 'alive' }]);
  }, 120_000);

  test('the check of statements sees what does not belong', () => {
    expect(findForeign('select "t0"."a;b" from "public"."books" as "t0" limit $1')).toEqual([]);
    expect(findForeign('select "t0"."id" from "public"."books"; drop table x')).not.toEqual([]);
    expect(findForeign(`select "t0"."id" from "books" where 'a' = 'b'`)).not.toEqual([]);
  });
});

describe('any text at all', () => {
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
  ])('as %s is parsed or refused with a code', (_, parse) => {
    fc.assert(
      fc.property(text, (given) => {
        try {
          parse(given);
        } catch (error) {
          expect(error).toBeInstanceOf(RestError);
          expect((error as RestError).status).toBe(400);
        }
      }),
      { numRuns: 3_000, ...seed },
    );
  });
});

test('any value finds the row that has it, by every way to write it', async () => {
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
        const response = await library.ask(`tags?select=label&id=eq.500&${filter}`, {
          as: 'alice',
        });
        expect(await response.json(), filter).toEqual([{ label }]);
      }
    }),
    { numRuns: 60, ...seed },
  );
});

test('any short name can be an alias, and comes back as it was', async () => {
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
  await fc.assert(
    fc.asyncProperty(name, async (alias) => {
      const select = encodeURIComponent(`"${alias.replace(/["\\]/g, '\\$&')}":id`);
      const response = await library.ask(`tags?id=eq.1&select=${select}`);
      expect(await response.json()).toEqual([{ [alias]: 1 }]);
    }),
    { numRuns: 60, ...seed },
  );
});

test('claims and headers are values too', async () => {
  const claims = { role: 'authenticated', sub: `'; update canary set note = 'dead'; --` };
  const request = new Request('http://rest.test/rest/v1/rpc/add?a=1', {
    headers: { 'x-client-info': `'); select change_canary(); --`, origin: '"\\' },
  });
  const response = await library.rest.handle(request, { role: 'authenticated', claims });
  expect(await response.text()).toBe('11');
  expect(await library.sql`select note from public.canary`).toEqual([{ note: 'alive' }]);
});
