import { describe, expect, test } from 'vitest';
import { VitrineError } from '@vitrine/project';
import {
  addResource,
  findResourceProblem,
  readPage,
  removeElement,
  setLoading,
  swapElements,
  type PageEdits,
} from '../../app/workspace/resources/page-resources.ts';
import {
  isReplaceable,
  planReplacement,
} from '../../app/workspace/resources/package-replacement.ts';

function apply(text: string, edits: PageEdits): string {
  return edits
    .toReversed()
    .reduce(
      (edited, { from, to, insert }) => edited.slice(0, from) + insert + edited.slice(to),
      text,
    );
}

const add = (text: string, input: string, isSecure = true) =>
  apply(text, addResource(text, input, isSecure));

function errorOf(run: () => unknown): string | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    return error instanceof VitrineError ? error.code : String(error);
  }
}

const page = `<!doctype html>
<html>
  <head>
    <title>Page</title>
    <link rel="stylesheet" href="style.css">
  </head>
  <body>
    <h1>Hi</h1>
    <script src="script.js"></script>
  </body>
</html>
`;
const jquery = 'https://code.jquery.com/jquery-3.7.1.min.js';
const bootstrap = 'https://cdn.jsdelivr.net/npm/bootstrap@5.3.3/dist/css/bootstrap.min.css';

describe('what a page loads from other hosts', () => {
  test('is read from the head and the body, in order', () => {
    const text = `<link href=//fonts.example.org/a.css rel="STYLESHEET"><link rel=preconnect href="https://fonts.example.org">
      <link rel=icon href="/icon.svg"><link rel=stylesheet href=own.css>
      <!-- <script src="https://a.example.org/commented.js"></script> -->
      <p title='<script src="https://a.example.org/quoted.js"></script>'>
      <script src=own.js></script><script>"<script src='https://a.example.org/text.js'>"</script>
      <script type="application/json" src="https://a.example.org/data.json"></script>
      <script defer src=' HTTPS://a.example.org/b.js '></script><script type=module src="https://esm.sh/three"></script>
      <template><script src="https://a.example.org/template.js"></script></template>`;
    expect(
      readPage(text).resources.map(({ kind, address, loading }) => [kind, address, loading]),
    ).toEqual([
      ['stylesheet', '//fonts.example.org/a.css', 'blocking'],
      ['link', 'https://fonts.example.org', 'blocking'],
      ['script', 'HTTPS://a.example.org/b.js', 'defer'],
      ['script', 'https://esm.sh/three', 'module'],
    ]);
  });

  test('has its problems named', () => {
    const text = `<script src="https://a.example.org/a.js"></script><script src="//a.example.org/a.js"></script>
      <script src="http://a.example.org/b.js"></script><script src="https://"></script>`;
    const outline = readPage(text);
    const problems = (isSecure: boolean) =>
      outline.resources.map((each) => findResourceProblem(each, outline, isSecure));
    expect(problems(true)).toEqual([
      undefined,
      'The page loads this URL more than once.',
      'Browsers block http:// on this page. Use https:// instead.',
      'This URL isn’t valid.',
    ]);
    expect(problems(false)[2]).toBe(undefined);
  });
});

describe('a script or stylesheet is added', () => {
  test('before those of the project, which may use it', () => {
    expect(add(page, jquery)).toContain(
      `    <script src="${jquery}"></script>\n    <script src="script.js"></script>`,
    );
    expect(add(page, bootstrap)).toContain(
      `    <link rel="stylesheet" href="${bootstrap}">\n    <link rel="stylesheet" href="style.css">`,
    );
  });

  test('after the last one of its kind from another host', () => {
    const second = 'https://unpkg.com/gsap@3.12.5/dist/gsap.min.js';
    expect(add(add(page, jquery), second)).toContain(
      `    <script src="${jquery}"></script>\n    <script src="${second}"></script>\n    <script src="script.js">`,
    );
  });

  test.each([
    ['', `<script src="${jquery}"></script>\n`],
    ['<!doctype html>\n<p>Hi', `<!doctype html>\n<script src="${jquery}"></script>\n<p>Hi`],
    ['<title>A</title>\n<p>Hi', `<title>A</title>\n<script src="${jquery}"></script>\n<p>Hi`],
    [
      '<!doctype html>\r\n<html>\r\n<head>\r\n</head>\r\n<p>Hi',
      `<!doctype html>\r\n<html>\r\n<head>\r\n  <script src="${jquery}"></script>\r\n</head>\r\n<p>Hi`,
    ],
    ['<head></head>', `<head>\n<script src="${jquery}"></script></head>`],
  ])('to a page without scripts, or without a head: %j', (text, expected) => {
    expect(add(text, jquery)).toBe(expected);
    expect(readPage(add(text, jquery)).resources).toHaveLength(1);
  });

  test.each([
    ['unpkg.com/a@1/b.css', 'stylesheet', 'blocking', 'https://unpkg.com/a@1/b.css'],
    [
      'https://fonts.googleapis.com/css2?family=Inter&display=swap',
      'stylesheet',
      'blocking',
      'https://fonts.googleapis.com/css2?family=Inter&display=swap',
    ],
    ['https://esm.sh/three@0.160.0', 'script', 'module', 'https://esm.sh/three@0.160.0'],
    [
      'https://cdn.jsdelivr.net/npm/d3@7/+esm',
      'script',
      'module',
      'https://cdn.jsdelivr.net/npm/d3@7/+esm',
    ],
    ['//unpkg.com/vue', 'script', 'blocking', '//unpkg.com/vue'],
    [
      '<script src="https://a.example.org/a.js" integrity="sha384-x" crossorigin></script>',
      'script',
      'blocking',
      'https://a.example.org/a.js',
    ],
  ])('recognizes %s', (input, kind, loading, address) => {
    expect(readPage(add(page, input)).resources).toMatchObject([{ kind, loading, address }]);
  });

  test('with several pasted tags, each with its attributes', () => {
    const tags = `<link rel="stylesheet" href="${bootstrap}" integrity="sha384-x">\n<script src="${jquery}" crossorigin="anonymous"></script>`;
    const text = add(page, tags);
    expect(text).toContain('integrity="sha384-x"');
    expect(text).toContain('crossorigin="anonymous"');
    expect(readPage(text).resources).toHaveLength(2);
  });

  test.each([
    ['three', 'resource_url_invalid'],
    ['https://', 'resource_url_invalid'],
    ['https://three', 'resource_url_invalid'],
    ['not a url', 'resource_url_invalid'],
    ['javascript:alert(1)', 'resource_url_invalid'],
    ['https://a.example.org/"><script>alert(1)</script>', 'resource_url_invalid'],
    ['<script>alert(1)</script>', 'resource_url_invalid'],
    ['http://a.example.org/a.js', 'resource_insecure'],
    ['//code.jquery.com/jquery-3.7.1.min.js', 'resource_duplicate'],
  ])('unless it is wrong: %s', (input, code) => {
    const text = add(page, jquery);
    expect(errorOf(() => addResource(text, input, true))).toBe(code);
  });
});

describe('a resource', () => {
  const text = `<head>\n  <script src="https://a.example.org/a.js"></script>\n  <script defer  src="https://a.example.org/b.js" data-x=" defer ">\n  </script>\n</head>`;
  const [a, b] = readPage(text).resources;
  if (!a || !b) throw new Error('the page has two scripts');

  test('is removed with its line', () => {
    expect(apply(text, [removeElement(text, a)])).toBe(text.replace(/ {2}<script src.*\n/, ''));
    const inline = '<p>x<script src="https://a.example.org/a.js"></script>y';
    const [only] = readPage(inline).resources;
    if (!only) throw new Error('the page has a script');
    expect(apply(inline, [removeElement(inline, only)])).toBe('<p>xy');
  });

  test('is swapped with another one', () => {
    const swapped = apply(text, swapElements(text, b, a));
    expect(readPage(swapped).resources.map(({ address }) => address.at(-4))).toEqual(['b', 'a']);
    const back = readPage(swapped).resources;
    if (!back[0] || !back[1]) throw new Error('the page has two scripts');
    expect(apply(swapped, swapElements(swapped, back[0], back[1]))).toBe(text);
  });

  test.each(['blocking', 'defer', 'async', 'module'] as const)('is loaded as %s', (loading) => {
    for (const each of [a, b]) {
      const changed = apply(text, [setLoading(text, each, loading)]);
      const found = readPage(changed).resources.find(({ address }) => address === each.address);
      expect(found?.loading).toBe(loading);
      expect(changed).toContain('data-x=" defer "');
    }
  });
});

describe('a package instead', () => {
  function replace(html: string, others: Record<string, string> = {}, at = 0) {
    const files = new Map([['index.html', html], ...Object.entries(others)]);
    const resource = readPage(html).resources[at];
    const plan = resource && planReplacement(files, 'index.html', resource);
    const edited = new Map(files);
    for (const { path, edits } of plan?.edits ?? [])
      edited.set(path, apply(edited.get(path) ?? '', edits));
    return { plan, files: edited };
  }

  test('is imported by the scripts that use the global, which become modules', () => {
    const html = `<script src="${jquery}"></script>\n<script src="script.js" defer></script>\n<script>$('p')</script>`;
    const { plan, files } = replace(html, { 'script.js': "jQuery('h1'); a.$; const x$ = 1;" });
    expect(plan?.packages).toEqual([{ name: 'jquery', range: '3.7.1' }]);
    expect(files.get('index.html')).toBe(
      `<script type="module" src="script.js"></script>\n<script type="module">\nimport $ from 'jquery';$('p')</script>`,
    );
    expect(files.get('script.js')).toBe(
      "import jQuery from 'jquery';\njQuery('h1'); a.$; const x$ = 1;",
    );
  });

  test('is imported in place of a module script', () => {
    const { files } = replace(
      '<script type="module" src="https://esm.sh/preact@10/debug"></script>',
    );
    expect(files.get('index.html')).toBe(`<script type="module">import 'preact/debug';</script>`);
  });

  test('is a stylesheet that the project’s own one imports', () => {
    const html = `<link rel="stylesheet" href="${bootstrap}">\n<link rel="stylesheet" href="style.css">`;
    const { plan, files } = replace(html, { 'style.css': '@charset "utf-8";\np {}' });
    expect(plan?.packages).toEqual([{ name: 'bootstrap', range: '5.3.3' }]);
    expect(files.get('index.html')).toBe('<link rel="stylesheet" href="style.css">');
    expect(files.get('style.css')).toBe(
      '@charset "utf-8";\n@import "bootstrap/dist/css/bootstrap.min.css";\np {}',
    );
  });

  test('is Tailwind without a package', () => {
    const html = `<script src="https://cdn.tailwindcss.com"></script>\n<link rel="stylesheet" href="style.css">`;
    const { plan, files } = replace(html, { 'style.css': '' });
    expect(plan?.packages).toEqual([]);
    expect(files.get('style.css')).toBe('@import "tailwindcss";\n');
  });

  test.each([
    [
      'a package without a known global',
      `<script src="https://unpkg.com/odd-thing@1"></script>`,
      {},
    ],
    [
      'a global that only attributes use',
      `<script src="${jquery}"></script><p onclick="$(this)">`,
      {},
    ],
    [
      'an attribute that calls the script',
      `<script src="${jquery}"></script><p onclick="go()"><script src="script.js"></script>`,
      { 'script.js': 'function go() { $() }' },
    ],
    [
      'another script that may need it',
      `<script src="${jquery}"></script><script src="https://unpkg.com/slick-carousel@1"></script><script src="script.js"></script>`,
      { 'script.js': '$()' },
    ],
    [
      'a script that isn’t there',
      `<script src="${jquery}"></script><script src="script.js"></script>`,
      {},
    ],
    ['no stylesheet of the project', `<link rel="stylesheet" href="${bootstrap}">`, {}],
  ])('is left to the user: %s', (_, html, others) => {
    const { plan, files } = replace(html, others);
    expect(plan).toBeDefined();
    expect(plan?.edits).toBe(undefined);
    expect(plan?.code).toMatch(/import/);
    expect(files.get('index.html')).toBe(html);
  });

  test('isn’t offered for other hosts, files and links', () => {
    for (const html of [
      '<script src="https://a.example.org/a.js"></script>',
      '<link rel="stylesheet" href="https://fonts.googleapis.com/css2?family=Inter">',
      '<link rel="preload" href="https://unpkg.com/three">',
      '<link rel="stylesheet" href="https://cdnjs.cloudflare.com/ajax/libs/animate.css/4.1.1/animate.min.css">',
    ])
      expect(replace(html).plan).toBe(undefined);
  });
});

test('a page may nest any number of elements', () => {
  const deep = `${'<div>'.repeat(20_000)}<script src="https://unpkg.com/three@0.180.0"></script>`;
  expect(readPage(deep).resources).toMatchObject([{ address: 'https://unpkg.com/three@0.180.0' }]);
});

test('every replaceable resource has a plan, and no other', () => {
  const tags = [
    '<script src="https://cdn.tailwindcss.com"></script>',
    '<script src="https://unpkg.com/three@0.180.0"></script>',
    '<script src="https://example.org/a.js"></script>',
    '<script src="https://"></script>',
    '<link rel="stylesheet" href="https://unpkg.com/bootstrap@5/dist/css/bootstrap.min.css">',
    '<link rel="stylesheet" href="https://cdnjs.cloudflare.com/ajax/libs/bootstrap/5.3.0/a.css">',
    '<link rel="preconnect" href="https://unpkg.com/three">',
  ];
  const files = new Map([['index.html', tags.join('\n')]]);
  const { resources } = readPage(tags.join('\n'));
  const planned = resources.map((each) => planReplacement(files, 'index.html', each) !== undefined);
  expect(resources.map(isReplaceable)).toEqual(planned);
  expect(planned).toEqual([true, true, false, false, true, false, false]);
});
