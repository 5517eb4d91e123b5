import * as fc from 'fast-check';

/** Attempts to break out of the quoting of a text. */
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

export const attack = fc.constantFrom(...attacks);
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
    arbitrary: fc.oneof(
      attack,
      fc.constantFrom('match', 'imatch(any)', 'fts(x)', 'eq(x)', 'between'),
    ),
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
const columnTest = fc.tuple(operator, value).map(([word, given]) => `${word}.${given}`);
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
  fc
    .tuple(
      quoted(column),
      fc.oneof(fc.constantFrom('sum()', 'max()', 'count()', 'sum'), attack),
      fc.constantFrom('', '::text'),
    )
    .map(([name, call, cast]) => `${name}.${call}${cast}`),
  fc.tuple(quoted(relation), path).map(([name, inner]) => `...${name}(${inner})`),
  fc.constantFrom('*', 'count()', ''),
);
const anyParameter = fc.oneof(
  fc
    .array(selectItem, { maxLength: 4 })
    .map((items): [string, string] => ['select', items.join(',')]),
  fc.tuple(path, columnTest),
  fc.tuple(
    fc.tuple(relation, path).map((parts) => parts.join('.')),
    columnTest,
  ),
  fc
    .tuple(
      fc.constantFrom('or', 'and', 'not.or', 'tags.or'),
      fc.array(fc.tuple(path, columnTest), { minLength: 1, maxLength: 3 }),
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
/** A quoted text, as a name or value that may contain anything. */
const inQuotes = attack
  .filter((text) => !text.includes('\0'))
  .map((text) => `"${text.toWellFormed().replace(/["\\]/g, '\\$&')}"`);
/** Valid parameters, with attacks wherever arbitrary text is allowed. */
const sane = fc.oneof(
  fc.tuple(
    fc.constantFrom('select'),
    fc.tuple(inQuotes, quotedPath()).map(([alias, given]) => `${alias}:${given}`),
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
    ['select', 'id,...author_id(name)'],
    ['select', 'id,...tags(label)'],
    ['select', 'mood,pages.sum()'],
    ['select', '*,shout'],
    ['select', 'id,longest_book(*),books_of(id,tags(label))'],
  ),
);
function quotedPath() {
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
      'books',
      'books',
      'tags',
      'authors',
      'cheap_books',
      'open_titles',
      'rpc/loud',
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
            'resolution=ignore-duplicates',
            'timezone=Asia/Kathmandu',
          ),
          headerText,
          headerText.map((text) => `timezone=${text}`),
        ),
        { maxLength: 3 },
      )
      .map((all) => all.join(',')),
    accept: fc.oneof(
      fc.constantFrom(
        'application/json',
        'text/csv',
        'application/vnd.pgrst.plan+json',
        'application/vnd.pgrst.object+json',
        'application/vnd.pgrst.array+json;nulls=stripped',
      ),
      headerText,
    ),
    range: fc.oneof(fc.constantFrom('0-1', '1-'), headerText),
    'content-type': fc.constantFrom('application/json', 'text/csv'),
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
      'resolution=merge-duplicates',
      'tx=rollback',
    ),
    accept: fc.constantFrom('application/json', 'application/json', 'text/csv'),
    'x-client-info': headerText,
  },
  { requiredKeys: [] },
);
const body = fc.oneof(
  attack.map((text) => `title,data\n"${text.replaceAll('"', '""')}",${text}\n`),
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
/** A request that is mostly valid, and hostile or nonsense in parts. */
export const hostileRequest = fc.record({
  target,
  method: fc.constantFrom('GET', 'GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE'),
  // Each name once: repeated parameters are rejected before anything else is parsed.
  parameters: fc.uniqueArray(parameter, { maxLength: 3, selector: ([key]) => key }),
  headers: fc.oneof({ weight: 3, arbitrary: saneHeaders }, { weight: 1, arbitrary: headers }),
  body: fc.oneof({ weight: 3, arbitrary: saneBody }, { weight: 1, arbitrary: body }),
});

export type HostileRequest = typeof hostileRequest extends fc.Arbitrary<infer T> ? T : never;
