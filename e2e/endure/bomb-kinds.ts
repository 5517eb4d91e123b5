/**
 * Generated inputs that are small for whoever sends them and may cost the server much: deep, wide,
 * repeated, made for backtracking, with huge numbers, or slow. Each kind is seeded by its random
 * numbers, so that a run can be repeated.
 */

/** Numbers from 0 to 1. */
type Random = () => number;

/** What an attacker does with a bomb. */
export type Bomb =
  /** A file of a public project, which is then opened as a page, a module and a page of the app. */
  | { readonly name: string; readonly kind: 'file'; readonly path: string; readonly text: string }
  /** Requests that are sent at once. */
  | { readonly name: string; readonly kind: 'requests'; readonly requests: readonly BombRequest[] };

export interface BombRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
  /** Milliseconds between pieces of the body that are one byte long; the rest is never sent. */
  readonly trickleMs?: number;
  /** Length that the request declares, if it isn't the body's. */
  readonly declared?: number;
}

/** Files have at most 1 MB. */
const maxLength = 1_000_000;

/** Text that is repeated, between others: `open` and `close` around a core, or `each` in a row. */
interface Shape {
  readonly open?: string;
  readonly core?: string;
  readonly close?: string;
  readonly each?: string;
  readonly head?: string;
  readonly tail?: string;
}

/** Shapes by extension and name. */
const shapes: Readonly<Record<string, Readonly<Record<string, Shape>>>> = {
  js: {
    parentheses: { open: '(', core: '1', close: ')' },
    'open brackets': { open: '[' },
    blocks: { open: '{', close: '}' },
    arrows: { open: 'a=>', core: '1' },
    ternaries: { open: 'a?b:', core: 'c', head: 'x=' },
    templates: { open: '`${', core: '1', close: '}`' },
    sum: { each: '1+', tail: '1' },
    members: { each: '.a', head: 'a' },
    imports: { each: 'import "./a.js";\n' },
    variables: { each: 'var a=1;' },
    'open comments': { each: '/*' },
    'a huge number': { each: '9', head: 'x=' },
    'a regular expression': { open: '(a*', core: 'b', close: ')*', head: 'x=/', tail: '/' },
    'a line': { each: 'a ' },
  },
  tsx: {
    elements: { open: '<a>', close: '</a>', head: 'export default () => ' },
    'open elements': { open: '<a>', head: 'export default () => ' },
    generics: { open: 'A<', core: 'B', close: '>', head: 'let a:' },
    conditionals: { open: 'A extends B?C:', core: 'D', head: 'type T=' },
    attributes: { each: ' a={1}', head: 'let a=<a', tail: '/>' },
  },
  css: {
    rules: { open: 'a{', core: 'b:c', close: '}' },
    selectors: { each: 'a,', tail: 'b{}' },
    combinators: { each: 'a>', tail: 'b{}' },
    functions: { open: 'calc(', core: '1', close: ')', head: 'a{b:', tail: '}' },
    imports: { each: '@import "a.css";\n' },
    'open comments': { each: '/*' },
    'a huge number': { each: '9', head: 'a{width:', tail: 'px}' },
    escapes: { each: String.raw`\a`, tail: '{}' },
  },
  scss: {
    rules: { open: 'a{', core: 'b:c', close: '}' },
    parents: { open: '&,&{', core: 'b:c', close: '}', head: 'a{', tail: '}' },
    maps: { open: '(a:', core: '1', close: ')', head: '$a:', tail: ';' },
    loop: { core: '@for $i from 1 through 99999999{a{b:$i}}' },
    recursion: { core: '@mixin a{@include a} b{@include a}' },
  },
  less: {
    rules: { open: 'a{', core: 'b:c', close: '}' },
    parents: { open: '&,&{', core: 'b:c', close: '}', head: 'a{', tail: '}' },
    recursion: { core: '.a(@n){.a(@n + 1)} b{.a(1)}' },
    interpolation: { each: '@{a}', head: '@a:b;c{d:"', tail: '"}' },
  },
  html: {
    elements: { open: '<div>', close: '</div>' },
    'open elements': { open: '<b>' },
    tables: { open: '<table><tr><td>' },
    attributes: { each: ' a', head: '<div', tail: '>' },
    'open comments': { each: '<!--' },
    'open tags': { each: '<a ' },
    scripts: { each: '<script>1</script>' },
    'an inline script': { open: '(', head: '<script>', tail: '</script>' },
  },
  md: {
    quotes: { open: '>' },
    lists: { open: '- ' },
    brackets: { open: '[' },
    links: { each: '[a](' },
    emphasis: { each: '*a_' },
    backticks: { each: '`a' },
    tables: { each: '|a', tail: '|\n|-|\n' },
    references: { each: '[a]: b\n' },
  },
  json: {
    arrays: { open: '[', close: ']' },
    'open arrays': { open: '[' },
    objects: { open: '{"a":', core: '1', close: '}' },
    keys: { each: '"a":1,', head: '{', tail: '"b":2}' },
    'a huge number': { each: '9' },
  },
  svelte: {
    elements: { open: '<a>', close: '</a>' },
    blocks: { open: '{#if a}', close: '{/if}' },
    expressions: { open: '(', core: '1', close: ')', head: '{', tail: '}' },
    'open script': { open: '[', head: '<script>', tail: '</script>' },
  },
  vue: {
    elements: { open: '<a>', close: '</a>', head: '<template>', tail: '</template>' },
    bindings: {
      open: '(',
      core: '1',
      close: ')',
      head: '<template><a :b="',
      tail: '"/></template>',
    },
    blocks: { each: '<style>a{}</style>' },
    'open script': { open: '[', head: '<script setup>', tail: '</script>' },
  },
};

/** Files whose names have a meaning, with the shapes of their language. */
const namedFiles: readonly [path: string, language: string][] = [
  ['tsconfig.json', 'json'],
  ['package.json', 'json'],
  ['package-lock.json', 'json'],
  ['vite.config.js', 'js'],
  ['tailwind.css', 'css'],
  ['index.html', 'html'],
  ['README.md', 'md'],
];

/** Names of all kinds of bombs, of which a run picks one at a time. */
export const bombKinds: Readonly<Record<string, (random: Random) => Bomb>> = {
  ...Object.fromEntries(
    Object.entries(shapes).flatMap(([language, byName]) =>
      Object.entries(byName).map(([name, shape]) => [
        `${language}: ${name}`,
        (random: Random) =>
          createFileBomb(`${language}: ${name}`, `bomb.${language}`, shape, random),
      ]),
    ),
  ),
  ...Object.fromEntries(
    namedFiles.map(([path, language]) => [
      path,
      (random: Random) => {
        const [name, shape] = pick(Object.entries(shapes[language] ?? {}), random);
        return createFileBomb(`${path}: ${name}`, path, shape, random);
      },
    ]),
  ),
  'a stylesheet with many imports': (random) => ({
    name: 'a stylesheet with many imports',
    kind: 'file',
    path: 'bomb.scss',
    text: Array.from({ length: pickLength(random, 20_000) }, (_, n) => `@use "a${n}";`).join(''),
  }),
  ...createRouteBombs(),
};

function createFileBomb(name: string, path: string, shape: Shape, random: Random): Bomb {
  return { name, kind: 'file', path, text: writeShape(shape, random) };
}

function writeShape(
  { open = '', core = '', close = '', each = '', head = '', tail = '' }: Shape,
  random: Random,
): string {
  const unit = open.length + close.length + each.length;
  const times = unit === 0 ? 1 : pickLength(random, Math.floor(maxLength / unit));
  return head + open.repeat(times) + core + each.repeat(times) + close.repeat(times) + tail;
}

/** A length up to the largest, the same odds for each order of magnitude from a thousand on. */
function pickLength(random: Random, most: number): number {
  const least = Math.min(1_000, most);
  return Math.floor(least * (most / least) ** random());
}

function pick<T>(items: readonly T[], random: Random): T {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error('nothing to pick from');
  return item;
}

/** Bombs of requests, by name. */
function createRouteBombs(): Readonly<Record<string, (random: Random) => Bomb>> {
  const repeat = (count: number, request: BombRequest) =>
    Array.from({ length: count }, () => request);
  const get = (path: string, headers: Readonly<Record<string, string>> = {}): BombRequest => ({
    method: 'GET',
    path,
    headers,
    body: '',
  });
  const post = (path: string, body: string | Buffer, type = 'application/json'): BombRequest => ({
    method: 'POST',
    path,
    headers: { 'content-type': type },
    body,
  });
  const jsonPaths = [
    '/auth/v1/token?grant_type=password',
    '/auth/v1/signup',
    '/rest/v1/rpc/read_project',
    '/rest/v1/projects',
    '/npm/-/resolve',
    '/npm/-/register',
    '/functions/v1/import-project',
    '/storage/v1/object/list/assets',
    '/realtime/v1/api/broadcast',
  ];
  const pages = [
    '/',
    '/new',
    '/work',
    '/@none/none',
    '/auth/sign-in',
    '/rest/v1/projects',
    '/npm/x',
  ];
  const requests = (name: string, create: (random: Random) => readonly BombRequest[]) =>
    [
      name,
      (random: Random): Bomb => ({ name, kind: 'requests', requests: create(random) }),
    ] as const;
  return Object.fromEntries([
    requests('long queries', (random) =>
      repeat(10, get(`${pick(pages, random)}?${'a&'.repeat(pickLength(random, 450_000))}`)),
    ),
    requests('queries at the limit', (random) =>
      repeat(20, get(`${pick(pages, random)}?${'a&'.repeat(8_000)}`)),
    ),
    requests('long paths', (random) =>
      repeat(10, get(`/${'a/'.repeat(pickLength(random, 450_000))}`)),
    ),
    requests('large headers', (random) =>
      repeat(10, get(pick(pages, random), { cookie: 'a=b; '.repeat(pickLength(random, 190_000)) })),
    ),
    requests('many conditions', () =>
      repeat(10, get(`/rest/v1/projects?or=(${'id.eq.1,'.repeat(1_900)}id.eq.1)`)),
    ),
    requests('nested conditions', () =>
      repeat(10, get(`/rest/v1/projects?or=${'(and'.repeat(3_000)}${')'.repeat(3_000)}`)),
    ),
    requests('forms with many fields', (random) =>
      ['/prefill', '/@none/none/entry'].map((path) =>
        post(path, 'a&'.repeat(pickLength(random, 900_000)), 'application/x-www-form-urlencoded'),
      ),
    ),
    requests('forms with many parts', (random) => {
      const part = '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n';
      const body = `${part.repeat(pickLength(random, 38_000))}--b--\r\n`;
      return repeat(4, post('/prefill', body, 'multipart/form-data; boundary=b'));
    }),
    requests('nested JSON', (random) =>
      repeat(4, post(pick(jsonPaths, random), '['.repeat(pickLength(random, 900_000)))),
    ),
    requests('JSON objects in each other', (random) => {
      const depth = pickLength(random, 150_000);
      const body = `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
      return repeat(4, post(pick(jsonPaths, random), body));
    }),
    requests('JSON with many keys', (random) => {
      const keys = Array.from({ length: pickLength(random, 80_000) }, (_, n) => `"${n}":1`);
      return repeat(4, post(pick(jsonPaths, random), `{${keys.join(',')}}`));
    }),
    requests('a huge number in JSON', (random) =>
      repeat(4, post(pick(jsonPaths, random), `{"a":${'9'.repeat(pickLength(random, 900_000))}}`)),
    ),
    requests('a deep lockfile', (random) => {
      const lock = `{"lockfileVersion":3,"packages":${'{"a":'.repeat(pickLength(random, 100_000))}`;
      return repeat(4, post('/npm/-/register', JSON.stringify({ lock })));
    }),
    requests('bodies that never end', (random) =>
      Array.from({ length: 40 }, () => ({
        ...post(
          pick(['/rest/v1/projects', '/npm/-/resolve', '/prefill'], random),
          'x'.repeat(2_000),
        ),
        declared: 2_000_000,
        trickleMs: 20,
      })),
    ),
    requests('large bodies that stop', (random) =>
      Array.from({ length: 8 }, () => ({
        ...post('/rest/v1/projects', Buffer.alloc(pickLength(random, 30_000_000), 'x')),
        declared: 33_000_000,
      })),
    ),
    requests('ranges', () =>
      repeat(10, get('/assets/none.js', { range: `bytes=${'0-1,'.repeat(10_000)}0-1` })),
    ),
    requests('many encodings', () =>
      repeat(10, get('/npm/none', { 'accept-encoding': 'br;q=0.1,'.repeat(10_000) })),
    ),
    requests('a search that matches everything', () =>
      repeat(20, get(`/npm/-/search?text=${'a'.repeat(2_000)}`)),
    ),
  ]);
}
