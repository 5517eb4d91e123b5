import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import fc from 'fast-check';
import type { Browser, Page } from '@playwright/test';
import { fileURLToPath } from 'node:url';
import { buildBundleCached } from '../src/server/bundle-cache.ts';
import { startChromium } from './rig/chromium.ts';
import { scriptsFolder } from './rig/scripts-folder.ts';

/**
 * State of a document: nodes with namespaces, shadow trees,
 * template contents, and the state of controls that no attribute reflects.
 */
const describeDocument = `(document) => {
  const state = ['value', 'checked', 'selected', 'selectedIndex', 'open', 'defaultValue', 'position', 'rangeOverflow', 'type'];
  const describe = (node) => {
    if (node.nodeType !== 1) return node.nodeName + ':' + (node.data ?? '');
    const attributes = [...node.attributes].map((a) => [a.namespaceURI, a.prefix, a.localName, a.value].join('|')).sort();
    const own = state.filter((name) => name in node).map((name) => name + '=' + String(node[name]));
    const media = node.localName === 'style' ? [node.sheet?.media.mediaText ?? 'no sheet'] : [];
    const form = node.form ? ['form ' + node.form.id] : [];
    return { name: [node.namespaceURI, node.prefix, node.localName].join('|'), attributes, own, media, form,
      color: document.defaultView.getComputedStyle(node).color,
      shadow: node.shadowRoot ? [...node.shadowRoot.childNodes].map(describe) : null,
      content: node.localName === 'template' && node.content ? [...node.content.childNodes].map(describe) : null,
      children: [...node.childNodes].map(describe) };
  };
  return JSON.stringify([document.compatMode, document.title, describe(document.documentElement)]);
}`;

let browser: Browser;
let page: Page;

beforeAll(async () => {
  const entry = fileURLToPath(new URL('../src/frame/hmr/patch-document.ts', import.meta.url));
  const { files } = await buildBundleCached(
    {
      entryPoints: { 'patch-document': entry },
      format: 'iife',
      globalName: 'patching',
      target: 'es2024',
    },
    scriptsFolder,
  );
  browser = await startChromium();
  page = await browser.newPage();
  await page.route('http://page.localhost/', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }),
  );
  await page.goto('http://page.localhost/');
  await page.evaluate(`window.patch = async (before, after) => {
    const load = (html) => new Promise((resolve) => {
      const frame = document.createElement('iframe');
      frame.onload = () => resolve(frame);
      // Loaded from a URL, because srcdoc documents are never in quirks mode.
      frame.src = URL.createObjectURL(new Blob([html], { type: 'text/html;charset=utf-8' }));
      document.body.append(frame);
    });
    const describe = ${describeDocument};
    const [patched, loaded] = await Promise.all([load(before), load(after)]);
    try {
      const { patching } = new patched.contentWindow.Function(${JSON.stringify(files.get('patch-document.js') ?? '')} + ';return { patching }')();
      const was = describe(patched.contentDocument);
      const outcome = patching.patchDocument(before, after, () => false);
      const is = describe(patched.contentDocument);
      return { outcome, is, expected: outcome === 'done' ? describe(loaded.contentDocument) : was };
    } finally {
      patched.remove();
      loaded.remove();
    }
  }`);
});
afterAll(() => browser.close());

async function patch(before: string, after: string) {
  const made: unknown = await page.evaluate(
    `patch(${JSON.stringify(before)}, ${JSON.stringify(after)})`,
  );
  return made as { outcome: string; is: string; expected: string };
}

const attribute = (name: string, values: readonly string[]) =>
  fc.constantFrom(...values).map((value) => (value === '' ? name : `${name}="${value}"`));

/** An element with some of these attributes, in any order. */
function tag(
  name: string,
  attributes: readonly fc.Arbitrary<string>[],
  content: fc.Arbitrary<string> | null = fc.constant(''),
): fc.Arbitrary<string> {
  const list = fc.tuple(...attributes.map((one) => fc.option(one, { freq: 2 }))).chain((all) => {
    const there = all.filter((one) => one !== null);
    return fc.shuffledSubarray(there, { minLength: there.length });
  });
  return fc
    .tuple(list, content ?? fc.constant(null))
    .map(
      ([all, inner]) =>
        `<${[name, ...all].join(' ')}>` + (inner === null ? '' : `${inner}</${name}>`),
    );
}

const number = (name: string) => attribute(name, ['0', '5', '10', '15', '20', '0.5', 'x']);
const word = fc.constantFrom('a', 'b', 'c d', '');
const id = attribute('id', ['i', 'j']);
const common = [id, attribute('class', ['red', 'blue']), attribute('xml:lang', ['de'])];
const flags = ['checked', 'disabled', 'autofocus', 'open', 'selected'].map((name) =>
  attribute(name, ['']),
);
const [checked, disabled, autofocus, open, selected] = flags as [
  fc.Arbitrary<string>,
  fc.Arbitrary<string>,
  fc.Arbitrary<string>,
  fc.Arbitrary<string>,
  fc.Arbitrary<string>,
];
const several = (one: fc.Arbitrary<string>, most = 3) =>
  fc.array(one, { maxLength: most }).map((all) => all.join(''));

const option = tag('option', [selected, disabled, attribute('value', ['a', 'b'])], word);
const leaf = fc.oneof(
  word,
  fc.constantFrom('<!-- one -->', '<!-- two -->', '<br>', '<noscript><b>none</b></noscript>'),
  tag(
    'input',
    [
      attribute('type', ['range', 'number', 'date', 'color', 'checkbox', 'radio', 'text', 'email']),
      attribute('value', ['5', '15', '#ff0000', '2026-01-01', 'text']),
      number('max'),
      number('min'),
      number('step'),
      checked,
      attribute('name', ['n']),
    ],
    null,
  ),
  tag('textarea', [attribute('rows', ['2']), autofocus], word),
  tag(
    'select',
    [attribute('multiple', ['']), attribute('size', ['3'])],
    several(fc.oneof(option, tag('optgroup', [attribute('label', ['g'])], several(option)))),
  ),
  tag('progress', [number('max'), number('value')], word),
  tag('meter', [number('value'), number('max'), number('low')], word),
  tag('output', [attribute('name', ['n'])], word),
  tag(
    'style',
    [attribute('media', ['print', 'all']), attribute('type', ['text/css', 'x'])],
    fc.constantFrom('.red { color: rgb(1, 2, 3) }', 'p { color: rgb(3, 2, 1) }', ''),
  ),
  tag(
    'svg',
    [
      attribute('viewBox', ['0 0 1 1', '0 0 2 2']),
      attribute('xmlns:xlink', ['http://www.w3.org/1999/xlink']),
    ],
    several(
      fc.oneof(
        tag('use', [attribute('xlink:href', ['#i', '#j'])]),
        tag('linearGradient', [attribute('gradientUnits', ['userSpaceOnUse'])]),
        tag('foreignObject', [], fc.constantFrom('<p>in</p>', '<input type=range max=1 value=2>')),
        tag('title', [], word),
      ),
    ),
  ),
  tag(
    'math',
    [attribute('definitionURL', ['a', 'b'])],
    fc.constantFrom('<mi>x</mi>', '<mi>y</mi>', ''),
  ),
  tag('p', [...common, attribute('@click', ['go', 'stay']), attribute('[b]', ['1', '2'])], word),
);
const node: fc.Arbitrary<string> = fc.letrec<{ node: string }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small', maxDepth: 3 },
    { weight: 3, arbitrary: leaf },
    { weight: 1, arbitrary: tag('div', common, several(tie('node'))) },
    {
      weight: 1,
      arbitrary: tag('details', [open, attribute('name', ['group'])], several(tie('node'))),
    },
    { weight: 1, arbitrary: tag('dialog', [open], several(tie('node'))) },
    { weight: 1, arbitrary: tag('form', [id], several(tie('node'))) },
    {
      weight: 1,
      arbitrary: tag('template', [attribute('shadowrootmode', ['open'])], several(tie('node'))),
    },
    {
      weight: 1,
      arbitrary: tie('node').map((inner) => `<table><form id=f><tr><td>${inner}</table>`),
    },
  ),
})).node;

const text = fc
  .tuple(fc.constantFrom('<!doctype html>', ''), word, fc.array(node, { maxLength: 4 }))
  .map(([start, title, nodes]) => ({ start, title, nodes }));
/** Two HTML texts that usually differ in one part only. */
const pair = fc
  .tuple(text, fc.oneof(fc.record({ at: fc.nat(3), node }), text))
  .map(([before, change]) => {
    const write = ({ start, title, nodes }: typeof before) =>
      `${start}<title>${title}</title><body>${nodes.join('\n')}`;
    const after =
      'nodes' in change
        ? change
        : {
            ...before,
            nodes:
              before.nodes.length > 0
                ? before.nodes.with(change.at % before.nodes.length, change.node)
                : [change.node],
          };
    return [write(before), write(after)] as const;
  });

describe('a patched page', () => {
  it.each([
    ['a range', '<input type=range max=10 value=5>', '<input type=range value=15 max=20>'],
    [
      'a number in an SVG',
      '<svg><use xlink:href="#a"/></svg>',
      '<svg><use xlink:href="#b"/></svg>',
    ],
    ['a language', '<svg xml:lang=en></svg>', '<svg xml:lang=de></svg>'],
    ['an odd name', '<p @a=1>x</p>', '<p @a=2 (b)=1>x</p>'],
    [
      'a choice',
      '<select><option>a<option selected>b</select>',
      '<select><option selected>a<option>b</select>',
    ],
    ['a text', '<textarea>a</textarea>', '<textarea>b</textarea>'],
    [
      'a style’s media',
      '<style media=print>p{color:red}</style><p>x',
      '<style media=all>p{color:red}</style><p>x',
    ],
    ['a style’s type', '<style type=x>p{color:red}</style><p>x', '<style>p{color:red}</style><p>x'],
  ])('equals a reloaded one: %s', async (_, before, after) => {
    const { outcome, is, expected } = await patch(before, after);
    expect(outcome).toBe('done');
    expect(is).toBe(expected);
  });

  it.each([
    ['a template', '<template><p>a</p></template>', '<template><p>b</p></template>'],
    [
      'a template in a template',
      '<template><template>a</template></template>',
      '<template><template>b</template></template>',
    ],
    [
      'a shadow tree',
      '<div><template shadowrootmode=open>a</template></div>',
      '<div><template shadowrootmode=open>b</template></div>',
    ],
    [
      'a handler in a shadow tree',
      '<div><template shadowrootmode=open><b>a</b></template></div><p>x',
      '<div><template shadowrootmode=open><b onclick="x()">a</b></template></div><p>y',
    ],
    [
      'details of a group',
      '<details name=a open></details><details name=a></details>',
      '<details name=a></details><details name=a open></details>',
    ],
    [
      'an animation',
      '<svg><rect><animate attributeName=x to=1 /></rect></svg>',
      '<svg><rect><animate attributeName=x to=2 /></rect></svg>',
    ],
  ])('is reloaded if %s changed', async (_, before, after) => {
    expect((await patch(before, after)).outcome).toBe('reload');
  });

  it('equals a reloaded one, or is unchanged and reloaded, whatever changed', async () => {
    const outcomes = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(pair, async ([before, after]) => {
        const { outcome, is, expected } = await patch(before, after);
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
        expect(is).toBe(expected);
      }),
      { numRuns: process.env['LONG'] === undefined ? 300 : 5_000 },
    );
    // Not every change leads to a reload.
    expect(outcomes.get('done') ?? 0).toBeGreaterThan(30);
  }, 300_000);
});
