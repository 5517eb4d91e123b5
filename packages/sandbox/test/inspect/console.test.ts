import { describe, expect, it } from 'vitest';
import type { ConsoleMember, ConsoleValue } from '../../src/console-values.ts';
import { setUpChromium } from '../rig/chromium.ts';
import { bothTransports } from '../rig/transports.ts';
import type { Seen } from '../rig/workspace.ts';

const at = setUpChromium({ sharesPage: true });

/** Runs a script and waits until it has logged "end". */
async function logged(script: string, isSrcdoc = false): Promise<Seen['lines']> {
  const files = {
    'index.html': '<!doctype html><body><script src="a.js"></script>',
    'a.js': script,
  };
  await at.workspace.run({
    files: { ...files, 'a.js': `${script}\nconsole.log('end')` },
    isSrcdoc,
  });
  return linesUntil('end');
}

async function linesUntil(text: string): Promise<Seen['lines']> {
  const { lines } = await at.workspace.seenUntil(
    (seen) => wordsOf(seen.lines.at(-1)?.values ?? []) === text,
    `a line “${text}”`,
  );
  return lines.slice(0, -1);
}

function wordsOf(values: readonly ConsoleValue[]): string {
  return values.map((value) => ('text' in value ? value.text : value.type)).join(' ');
}

/** Texts of a formatted log entry, joined. */
function textOf(values: readonly ConsoleValue[] = []): string {
  return values.map((value) => ('text' in value ? value.text : '')).join('');
}

const textsOf = (lines: Seen['lines']) =>
  lines.map(({ method, values }) => `${method}: ${wordsOf(values)}`);

interface Answer {
  kind: string;
  members: ConsoleMember[];
  size: number;
  value: ConsoleValue;
}

async function ask(question: object): Promise<Answer> {
  const said = await at.page.evaluate(
    `preview.console.query(${JSON.stringify(question)}, rig.seen.document).then(JSON.stringify)`,
  );
  return JSON.parse(String(said)) as Answer;
}

const evaluate = (code: string, awaits = false) =>
  at.page.evaluate(`preview.console.evaluate(${JSON.stringify({ shown: code, code, awaits })})`);

function handleOf(value: ConsoleValue | undefined): number {
  return value && 'handle' in value ? value.handle : 0;
}

describe.each(bothTransports)('the console with the $transport transport', ({ isSrcdoc }) => {
  it('logs uncaught errors with their line', async () => {
    await at.workspace.run({
      files: {
        'index.html': '<title>Page</title><script src="a.js"></script>',
        'a.js': `addEventListener('unhandledrejection', () => setTimeout(() => console.log('end')));
Promise.reject({ odd: 1 });
throw new TypeError('bad');`,
      },
      isSrcdoc,
    });
    const lines = await linesUntil('end');
    expect(textsOf(lines).sort()).toEqual([
      'error: Uncaught (in a promise) object',
      'error: Uncaught error',
    ]);
    const thrown = lines.find(({ line }) => line === 3);
    expect(thrown?.values[1]).toMatchObject({ name: 'TypeError', message: 'bad' });
    const rejected = lines.find((each) => each !== thrown)?.values[1];
    expect(rejected).toMatchObject({ members: [{ name: 'odd' }] });
  });

  it('logs every console method', async () => {
    const lines = await logged(
      `console.assert(1 === 1); console.assert(false, 'not %s', 'so'); console.assert(false);
      console.count(); console.count(); console.count('x'); console.countReset(); console.count(); console.countReset('no');
      console.time('t'); console.time('t'); console.timeLog('never'); console.group('g'); console.debug('d'); console.groupEnd();
      console.log('%s is %d or %i, %f', 'a', '4.5', '4.5', '4.5', 'more'); console.log('%% %x %s'); console.log('%o', [1]); console.trace('here');`,
      isSrcdoc,
    );
    expect(textsOf(lines)).toEqual([
      'error: Assertion failed: not so',
      'error: Assertion failed',
      'log: default: 1',
      'log: default: 2',
      'log: x: 1',
      'log: default: 1',
      'warn: No counter named “no”.',
      'warn: Timer “t” is already running.',
      'warn: No timer named “never”.',
      'group: g',
      'debug: d',
      'groupEnd: ',
      'log: a is 4 or 4, 4.5 more',
      'log: % %x %s',
      'log: array',
      expect.stringContaining('trace: here'),
    ]);
    const stack = lines.at(-1)?.values.at(-1);
    expect(stack).toMatchObject({ type: 'stack', text: expect.stringContaining('a.js:4:') });
  });

  it('P-22 keeps the newest of many entries, every error, and console input with its results', async () => {
    const files = {
      'index.html': '<title>Page</title><script src="a.js"></script>',
      'a.js': `for (let i = 0; i < 400; i += 1) console.log(i);\nconsole.log('end');`,
    };
    await at.workspace.run({ files, isSrcdoc });
    const all = await linesUntil('end');
    expect(textsOf(all)).toEqual(Array.from({ length: 400 }, (_, i) => `log: ${i}`));
    expect((await at.workspace.seen()).dropped).toBe(0);
    await evaluate('console.clear()');
    await evaluate(`console.error('first'); for (let i = 0; i < 5000; i += 1) console.log(i, {});
console.error('last'); 'over'`);
    const { lines, dropped } = await at.workspace.seenUntil(
      (seen) => wordsOf(seen.lines.at(-1)?.values ?? []) === 'over',
    );
    const kept = textsOf(lines);
    expect(kept).toContain('error: first');
    expect(kept.slice(-3)).toEqual(['log: 4999 object', 'error: last', 'result: over']);
    const numbers = lines.flatMap(({ method, values: [value] }) =>
      method === 'log' && value && 'text' in value ? [Number(value.text)] : [],
    );
    const newest = Array.from({ length: numbers.length }, (_, i) => 5000 - numbers.length + i);
    expect(numbers).toEqual(newest);
    expect(numbers.length).toBeGreaterThan(950);
    // Plus the entry for the cleared console.
    expect(numbers.length + dropped).toBe(5001);
  });

  it('shows many values, or how many more there are', async () => {
    const lines = await logged(
      `const seventy = Array.from({ length: 70 }, (_, i) => i);
console.log(...seventy);
console.log('%s first', ...seventy);
console.log(...Array.from({ length: 700 }, (_, i) => i));
console.log(Array.from({ length: 200 }, (_, i) => '%c' + i).join(''), ...Array(200).fill('color: red'));
console.log('%s %s', 'x'.repeat(8000), 'y'.repeat(8000));
console.log('%s', 'z'.repeat(100_000));
console.error(new Error('w'.repeat(20_000)));`,
      isSrcdoc,
    );
    const shown = lines.map(({ values }) => values);
    expect(shown).toHaveLength(7);
    expect(shown[0]).toHaveLength(70);
    expect(shown[1]).toHaveLength(70);
    expect(shown[2]).toHaveLength(500);
    const rest = shown[2]?.at(-1);
    expect(rest).toMatchObject({ type: 'array', name: '201 more', size: 201 });
    const { members } = await ask({ kind: 'open', handle: handleOf(rest), from: 100 });
    expect(members.at(-1)?.value).toMatchObject({ text: '698' });
    expect(shown[3]).toHaveLength(200);
    expect(textOf(shown[4])).toBe(`${'x'.repeat(8000)} ${'y'.repeat(8000)}`);
    expect(textOf(shown[5])).toMatch(/^z{50000,}…+$/);
    expect(shown[6]?.[0]).toMatchObject({ message: expect.stringMatching(/w…$/) });
  });

  it('expands objects to any depth, one level at a time', async () => {
    const lines = await logged(
      `const deep = {}; let at = deep; for (let i = 0; i < 60; i += 1) at = at.in = { i }; console.log(deep)`,
      isSrcdoc,
    );
    let value: ConsoleValue | undefined = lines[0]?.values[0];
    for (let depth = 0; depth < 55; depth += 1) {
      if (!value || !('members' in value)) throw new Error(`no object at ${depth}`);
      const members: ConsoleMember[] =
        value.members.length > 0
          ? value.members
          : (await ask({ kind: 'open', handle: value.handle, from: 0 })).members;
      if (depth > 0)
        expect(members.find(({ name }) => name === 'i')?.value).toEqual({
          type: 'number',
          text: String(depth - 1),
        });
      value = members.find(({ name }) => name === 'in')?.value;
    }
  });

  it('evaluates code in the page, awaits promises and stores the last result in $_', async () => {
    await logged('window.given = 20; const lexical = 1', isSrcdoc);
    await evaluate('given + lexical + 21');
    await evaluate('$_ / 2');
    await evaluate('(async () => (await Promise.resolve(7)) + 1)()', true);
    await evaluate('nothing.there');
    await evaluate('console.log("said"); "over"');
    expect(textsOf(await linesUntil('over')).slice(1)).toEqual([
      'input: given + lexical + 21',
      'result: 42',
      'input: $_ / 2',
      'result: 21',
      'input: (async () => (await Promise.resolve(7)) + 1)()',
      'result: 8',
      'input: nothing.there',
      'thrown: error',
      'input: console.log("said"); "over"',
      'log: said',
    ]);
  });

  it('provides console utilities unless the page defines the name', async () => {
    await logged(`window.$$ = () => 'mine'; document.body.innerHTML = '<p>a<p>b'`, isSrcdoc);
    await evaluate('$("p").textContent');
    await evaluate('$$("p")');
    await evaluate('var $ = 4; $ + 1');
    await evaluate('setTimeout(() => console.log(typeof clear)); "timed"');
    expect(textsOf(await linesUntil('undefined'))).toEqual(
      expect.arrayContaining(['result: a', 'result: mine', 'result: 5', 'result: timed']),
    );
    await evaluate('clear(); console.log("cleared")');
    await evaluate('"over"');
    const left = textsOf(await linesUntil('over'));
    expect(left).toContain('log: cleared');
    expect(left).not.toContain('result: a');
  });

  it('completes names without running getters', async () => {
    await logged(
      `window.ran = 0; class Point { get x() { ran += 1; return {}; } move() {} }; window.point = new Point(); const lexical = { inside: { a: 1 } };`,
      isSrcdoc,
    );
    const names = async (path: string[]) =>
      (await at.page.evaluate(
        `preview.console.findCompletions(${JSON.stringify(path)})`,
      )) as string[];
    expect(await names([])).toEqual(expect.arrayContaining(['document', 'point', 'Array']));
    expect(await names(['point'])).toEqual(expect.arrayContaining(['x', 'move', 'toString']));
    expect(await names(['lexical', 'inside'])).toContain('a');
    expect(await names(['document', 'body'])).toContain('appendChild');
    expect(await names(['point', 'x'])).toEqual([]);
    expect(await at.workspace.inResult('ran')).toBe(0);
  });
});

describe('the console', () => {
  it('shows getters, proxies and classes without running user code', async () => {
    const lines = await logged(`
      window.ran = 0; const count = () => { ran += 1; return 'called'; };
      class Point { #hidden = 1; y = 2; get x() { return count(); } move(to) {} }
      console.log({ get a() { return count(); } }, new Proxy({ b: 1 }, { get: count, ownKeys: count, getOwnPropertyDescriptor: count, getPrototypeOf: count }), new Point(), Point);
      console.log(new URL('https://example.test/x'), Promise.resolve(1), new Uint8Array([1, 2]), Symbol('s'), 10n, [, 1], function add(a, b = 2) {}, (x) => x)`);
    const [object, proxy, point, type] = lines[0]?.values ?? [];
    expect(object).toMatchObject({ members: [{ name: 'a', value: { type: 'getter' } }] });
    expect(proxy).toMatchObject({ name: 'Proxy(Object)', members: [{ name: 'b' }] });
    expect(point).toMatchObject({ name: 'Point' });
    expect(type).toMatchObject({ type: 'class', name: 'class Point' });
    const members = point && 'members' in point ? point.members : [];
    expect(members.map(({ name }) => name)).toEqual(['y', 'x', '[[Prototype]]']);
    expect(await at.workspace.inResult('ran')).toBe(0);
    const value = await ask({ kind: 'get', handle: handleOf(members[1]?.value) });
    expect(value).toMatchObject({ kind: 'value', value: { text: 'called' }, isThrown: false });
    expect(await at.workspace.inResult('ran')).toBe(1);
    expect(lines[1]?.values).toMatchObject([
      {
        name: 'URL',
        members: expect.arrayContaining([
          { name: 'host', value: { type: 'string', text: 'example.test', cut: 0 } },
        ]),
      },
      { name: 'Promise', members: [] },
      { name: 'Uint8Array', size: 2 },
      { type: 'symbol', text: 'Symbol(s)' },
      { type: 'bigint', text: '10n' },
      { members: [{ value: { type: 'empty' } }, { value: { text: '1' } }] },
      { type: 'function', name: 'add(a, b = 2)' },
      { type: 'function', name: '(x)' },
    ]);
  });

  it('shows errors with their causes and source-mapped stacks', async () => {
    const lines = await logged(`
      function fail() { return new Error('top', { cause: new TypeError('below') }); }
      console.error(fail()); console.log(new AggregateError([new Error('one')], 'many'));
      console.log(new DOMException('gone', 'NotFoundError'));`);
    expect(lines[0]?.values[0]).toMatchObject({
      type: 'error',
      name: 'Error',
      message: 'top',
      stack: expect.stringContaining('fail (a.js:2:'),
      members: [{ name: 'cause', value: { type: 'error', name: 'TypeError', message: 'below' } }],
    });
    expect(lines[1]?.values[0]).toMatchObject({
      members: [{ name: 'errors', value: { members: [{ value: { message: 'one' } }] } }],
    });
    expect(lines[2]?.values[0]).toMatchObject({ name: 'NotFoundError', message: 'gone' });
  });

  it('expands elements by their children and, with dir, by their properties', async () => {
    const lines = await logged(`
      document.body.innerHTML = '<ul id="list"><li>One</li> <!--two--><li><b>Three</b></li></ul>';
      console.log(document.getElementById('list')); console.dir(document.getElementById('list'));`);
    const [list, asObject] = lines.map(({ values }) => values[0]);
    expect(list).toMatchObject({ type: 'element', name: '<ul id="list">', members: [], size: 3 });
    const { members } = await ask({ kind: 'open', handle: handleOf(list), from: 0 });
    expect(members.map(({ value }) => ('name' in value ? value.name : wordsOf([value])))).toEqual([
      '<li>One</li>',
      '<!--two-->',
      '<li>',
    ]);
    expect(asObject).toMatchObject({ type: 'object', name: 'HTMLUListElement' });
  });

  it('shows DOM collections as lists', async () => {
    const lines = await logged(`
      document.body.innerHTML = '<ul class="a b"><li>One</li><li>Two</li></ul>';
      const list = document.querySelector('ul');
      console.log(document.querySelectorAll('li'), list.children, list.classList, list.attributes);
      console.log(Object.create(NodeList.prototype));`);
    const item = (text: string) => ({ value: { type: 'element', name: `<li>${text}</li>` } });
    const items = { type: 'array', size: 2, members: [item('One'), item('Two')] };
    expect(lines[0]?.values).toMatchObject([
      { ...items, name: 'NodeList' },
      { ...items, name: 'HTMLCollection' },
      { type: 'array', name: 'DOMTokenList', size: 2, members: [{ name: '0' }, { name: '1' }] },
      { type: 'array', name: 'NamedNodeMap', size: 1 },
    ]);
    expect(lines[1]?.values).toMatchObject([{ type: 'object' }]);
  });

  it('loads the rest of a long list in pages, and reports when it is gone', async () => {
    const lines = await logged(`console.log(Array.from({ length: 250 }, (_, i) => i))`);
    const list = lines[0]?.values[0];
    expect(list).toMatchObject({ size: 250 });
    const page = await ask({ kind: 'open', handle: handleOf(list), from: 200 });
    expect(page.members).toHaveLength(50);
    expect(page.members.at(-1)).toMatchObject({ name: '249', value: { text: '249' } });
    await at.workspace.inResult('console.clear()');
    expect((await ask({ kind: 'open', handle: handleOf(list), from: 0 })).kind).toBe('gone');
  });

  it('P-25 queries an object only in the document that logged it', async () => {
    const lines = await logged(`console.log(Array.from({ length: 250 }, (_, i) => i))`);
    const handle = handleOf(lines[0]?.values[0]);
    const document: unknown = await at.page.evaluate('rig.seen.document');
    await at.workspace.edit({ 'a.js': `console.log(new Array(250)); console.log('end')` });
    await at.workspace.seenUntil(
      ({ lines: [line] }) => line !== undefined && line.document !== document,
    );
    const question = `preview.console.query(${JSON.stringify({ kind: 'open', handle, from: 0 })}, ${String(document)})`;
    expect(await at.page.evaluate(`${question}.then(({ kind }) => kind)`)).toBe('gone');
  });

  it('counts equal entries, including equal objects, and preserves the log if enabled', async () => {
    await at.workspace.start({
      files: {
        'index.html': '<!doctype html><script src="a.js"></script>',
        'a.js': `for (let i = 0; i < 5; i += 1) console.log('same', { a: [1] }); console.log('same', { a: [2] }); console.clear();`,
      },
    });
    await at.page.evaluate('preview.console.preserveLog(true)');
    await at.workspace.seenUntil((seen) => seen.lines.at(-1)?.method === 'clear');
    await at.workspace.edit({ 'a.js': `console.log('end')` });
    const lines = await linesUntil('end');
    expect(lines.map(({ method, count }) => `${method} ${count}`)).toEqual([
      'log 5',
      'log 1',
      'clear 1',
      'reload 1',
    ]);
  });

  it.each(bothTransports)(
    'replaces the errors of updated modules, and keeps what was logged ($transport)',
    async ({ isSrcdoc }) => {
      const write = (slip: string) => ({
        'a.js': `import.meta.hot.accept();
console.error('logged', '${slip}');
setTimeout(() => {
  if (!'${slip}') return console.log('fixed');
  // As React does, from no code of the project.
  setTimeout(console.warn, 0, 'about ${slip}');
  throw new Error('${slip}');
});`,
      });
      const index = '<!doctype html><body><script type="module" src="a.js"></script>';
      await at.workspace.run({ files: { 'index.html': index, ...write('f') }, isSrcdoc });
      const failures = (lines: Seen['lines']) =>
        textsOf(lines).filter((text) => /^(?:error: Uncaught|warn)/.test(text));
      for (const slip of ['f', 'fo', 'foo', 'fooo']) {
        await at.workspace.edit(write(slip));
        const { lines } = await at.workspace.seenUntil(
          (seen) =>
            failures(seen.lines).includes(`warn: about ${slip}`) && failures(seen.lines).length > 1,
        );
        expect(failures(lines).toSorted()).toEqual([
          'error: Uncaught error',
          `warn: about ${slip}`,
        ]);
      }
      await at.workspace.edit(write(''));
      const { lines } = await at.workspace.seenUntil((seen) =>
        textsOf(seen.lines).includes('log: fixed'),
      );
      expect(textsOf(lines)).toEqual([
        'error: logged f',
        'error: logged fo',
        'error: logged foo',
        'error: logged fooo',
        'error: logged ',
        'log: fixed',
      ]);
    },
  );

  it('says why it can’t evaluate code', async () => {
    await logged('1');
    await at.workspace.edit({ 'a.js': 'for (;;);' });
    await at.workspace.reach('unresponsive');
    await evaluate('1');
    await at.page.evaluate('preview.stop()');
    await evaluate('2');
    const { lines } = await at.workspace.seenUntil((seen) => seen.lines.length >= 4);
    expect(textsOf(lines).slice(-4)).toEqual([
      'input: 1',
      'note: The page isn’t responding. Stop it or change its code.',
      'input: 2',
      'note: Run the project first.',
    ]);
  });
});
