import { glob, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAddressMessage, parseTypedAddress } from '../src/address-messages.ts';
import { parseConsoleResponse } from '../src/console-messages.ts';
import { parseConsoleValues, parseStyle } from '../src/console-values.ts';
import { addVersionQuery, removeVersionQuery } from '../src/hot-messages.ts';
import { networkLimits } from '../src/network-messages.ts';
import { findMatchingRule, parseRules } from '../src/network-rules.ts';
import { parseToolMessage } from '../src/tool-messages.ts';
import {
  parseFromFrame,
  parseHello,
  parseRunParameter,
  parseStoreResponse,
  parseToServiceWorker,
} from '../src/protocol.ts';
import { parseTestEvent, testLimits, type CollectedTask } from '../src/test-messages.ts';

const parsers = {
  parseAddressSaid: parseAddressMessage,
  parseToolSaid: parseToolMessage,
  parseRules,
  parseHello,
  parseFromFrame,
  parseToServiceWorker,
  parseStoreAnswer: parseStoreResponse,
  parseConsoleValues,
  parseConsoleAnswer: parseConsoleResponse,
  parseTestEvent,
};

describe.each(Object.entries(parsers))('P-09 %s', (_, parse) => {
  it('returns undefined or typed data for any input, and never throws', () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true, withBigInt: true }), (input) => {
        const parsed = parse(input);
        expect(parsed === undefined || Array.isArray(input) || typeof parsed === 'object').toBe(
          true,
        );
      }),
      { numRuns: 2_000, verbose: 1 },
    );
  });

  it('SB-09 rejects messages that are nearly valid', () => {
    const near = fc.record(
      {
        vitrine: fc.constantFrom('hello', 'welcome', 1),
        type: fc.constantFrom(
          'console',
          'problem',
          'applied',
          'invalid',
          'store',
          'stored',
          'constructor',
          '__proto__',
        ),
        protocol: fc.constantFrom(0, 2, '1'),
        entry: fc.anything(),
        problem: fc.anything(),
        version: fc.constantFrom(-1, 1.5, '1', NaN),
        run: fc.string(),
        id: fc.oneof(fc.integer(), fc.constant('x'.repeat(1_001))),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(near, (input) => {
        expect(parse(input)).toBe(undefined);
      }),
      { verbose: 1 },
    );
  });
});

describe('messages of a test page', () => {
  const task = (tasks: CollectedTask[] = []): CollectedTask => ({
    id: '1',
    name: 'adds',
    isSuite: tasks.length > 0,
    state: null,
    line: 1,
    column: 1,
    timeoutMs: 5_000,
    tasks,
  });
  const collected = (tasks: CollectedTask[]) => parseTestEvent({ kind: 'collected', tasks });

  it('P-16 are rejected beyond the limits of our own page', () => {
    expect(collected([task([task()])])).toEqual({ kind: 'collected', tasks: [task([task()])] });
    expect(collected(Array.from({ length: testLimits.tasks }, () => task()))).toBeDefined();
    expect(collected(Array.from({ length: testLimits.tasks + 1 }, () => task()))).toBe(undefined);
    const deep = Array.from({ length: testLimits.depth + 2 }).reduce<CollectedTask>(
      (inner) => task([inner]),
      task(),
    );
    expect(collected([deep])).toBe(undefined);
    const failure = { message: 'no', diff: 'x'.repeat(testLimits.diff), stack: '' };
    const ended = { kind: 'ended', id: '1', state: 'failed', durationMs: 1, errors: [failure] };
    expect(parseTestEvent(ended)).toEqual(ended);
    expect(parseTestEvent({ ...ended, errors: [{ ...failure, diff: `${failure.diff}x` }] })).toBe(
      undefined,
    );
    expect(parseTestEvent({ ...ended, state: 'won' })).toBe(undefined);
  });
});

describe('HMR messages of a frame', () => {
  it('P-31 contain one of four outcomes', () => {
    for (const outcome of ['done', 'unused', 'reload', 'failed'])
      expect(parseFromFrame({ type: 'applied', version: 3, outcome, more: 1 })).toEqual({
        type: 'applied',
        version: 3,
        outcome,
      });
    expect(parseFromFrame({ type: 'applied', version: 3, outcome: 'other' })).toBe(undefined);
  });

  it('P-33 contain a module id of limited length', () => {
    const message = { type: 'invalid', id: 'src/App.tsx' };
    expect(parseFromFrame(message)).toEqual(message);
  });
});

describe('version queries', () => {
  it('P-30 are the last parameter and leave the rest of the query', () => {
    expect(addVersionQuery('a b/App.tsx', 3)).toBe('/a%20b/App.tsx?t=3');
    expect(addVersionQuery('data.json?module', 3)).toBe('/data.json?module&t=3');
    expect(['?t=3', '?module&t=3', '?module', '?at=3', '?t=x'].map(removeVersionQuery)).toEqual([
      '',
      '?module',
      '?module',
      '?at=3',
      '?t=x',
    ]);
  });
});

describe('console values from a frame', () => {
  const text = (length: number) => ({ type: 'string', text: 'x'.repeat(length), cut: 0 });

  it('SB-23 are rejected if larger than our own frame sends', () => {
    expect(parseConsoleValues([text(10_000)])).toHaveLength(1);
    expect(parseConsoleValues([text(10_001)])).toBe(undefined);
    expect(parseConsoleValues(Array.from({ length: 7 }, () => text(10_000)))).toBe(undefined);
    expect(parseConsoleValues(Array.from({ length: 501 }, () => text(1)))).toBe(undefined);
  });

  it('SB-23 are rejected if nested more deeply', () => {
    const nest = (depth: number): unknown =>
      depth === 0
        ? text(1)
        : {
            type: 'array',
            name: 'Array',
            size: 1,
            handle: 0,
            members: [{ name: '0', value: nest(depth - 1) }],
          };
    expect(parseConsoleValues([nest(5)])).toHaveLength(1);
    expect(parseConsoleValues([nest(50)])).toBe(undefined);
  });

  it('SB-21 contain only safe styles', () => {
    expect(parseStyle('color: red; background: url(https://evil.test); position: fixed')).toEqual({
      color: 'red',
    });
    expect(parseStyle('background: #fff; font-weight: bold; color: var(--x)')).toEqual({
      'background-color': '#fff',
      'font-weight': 'bold',
    });
    expect(
      parseStyle('padding: 2px 6px; margin: -4px; border-radius: 4px; font-size: 999px'),
    ).toEqual({ padding: '2px 6px', 'border-radius': '4px' });
    expect(parseStyle('text-decoration: underline 900px; font-size: 1.5em; margin: 90em')).toEqual({
      'font-size': '1.5em',
    });
    const forged = [{ type: 'text', text: 'a', style: { color: 'url(x)', position: 'fixed' } }];
    expect(parseConsoleValues(forged)).toEqual([{ type: 'text', text: 'a', style: {} }]);
  });

  it('never pollute a prototype', () => {
    const value: unknown = JSON.parse(
      '[{"type":"object","name":"a","size":1,"handle":0,"members":[{"name":"__proto__","value":{"type":"string","text":"x","cut":0}}]}]',
    );
    expect(parseConsoleValues(value)).toBeDefined();
    expect(Reflect.get({}, 'polluted')).toBe(undefined);
  });
});

describe('the run parameter', () => {
  it('is parsed with and without version and scroll position; anything else is rejected', () => {
    const run = 'a'.repeat(32);
    expect(parseRunParameter(run)).toEqual({ run, tools: [], version: null, scroll: null });
    expect(parseRunParameter(`${run}~network~eval`)).toMatchObject({ tools: ['network'] });
    expect(parseRunParameter(`${run}@7.3.40`)).toEqual({
      run,
      tools: [],
      version: 7,
      scroll: [3, 40],
    });
    for (const other of [null, '', 'x', `${run}0`, `${run}.1`, `${run}@`, run.toUpperCase()])
      expect(parseRunParameter(other)).toBe(undefined);
  });
});

describe('the sources of the page, the frame and the service worker', () => {
  const folders = ['../src', '../../../apps/web/app'].map((path) => new URL(path, import.meta.url));

  it('P-01, SB-08: never post to an unspecified origin', async () => {
    const found: string[] = [];
    for (const folder of folders)
      for await (const path of glob('**/*.{ts,tsx}', { cwd: fileURLToPath(folder) })) {
        const text = await readFile(new URL(`${folder.href}/${path}`), 'utf8');
        if (/\.postMessage\([^;]*['"`]\*['"`]/.test(text)) found.push(path);
      }
    expect(found).toEqual([]);
  });
});

describe('URLs of a project', () => {
  it.each([
    ['about.html', '/about.html'],
    ['/a b/?x=1#top', '/a%20b/?x=1#top'],
    ['//example.com/a', '/example.com/a'],
    ['?x=1', '/?x=1'],
    ['https://example.com/', undefined],
    ['javascript:alert(1)', undefined],
    ['/__vitrine/sw.js', undefined],
  ])('typed as %s parse to %s', (typed, address) => {
    expect(parseTypedAddress(typed)).toBe(address);
  });

  it('P-40 start at the root and have a limited length', () => {
    const said = { type: 'address', canGoBack: true, canGoForward: false };
    expect(parseAddressMessage({ ...said, address: '/a?b#c' })).toMatchObject({
      address: '/a?b#c',
    });
    for (const address of ['https://example.com/', 'a', `/${'x'.repeat(2_000)}`, 1])
      expect(parseAddressMessage({ ...said, address })).toBe(undefined);
  });
});

describe('messages of tools', () => {
  const request = {
    id: 1,
    method: 'GET',
    address: '/a',
    kind: 'fetch',
    from: 'project',
    path: 'a',
    start: 0,
    duration: null,
    status: null,
    size: null,
    hasFailed: false,
    startedBy: { path: '', line: 0, column: 0 },
    hasDetails: false,
  };
  const said = (requests: unknown) => parseToolMessage({ type: 'requests', dropped: 0, requests });

  it('P-45 are rejected beyond the batch size of our own frame', () => {
    expect(said([request])).toMatchObject({ requests: [request] });
    expect(said(Array.from({ length: networkLimits.batch + 1 }, () => request))).toBe(undefined);
    expect(said([{ ...request, kind: 'constructor' }])).toBe(undefined);
    expect(said([{ ...request, duration: -1 }])).toBe(undefined);
    expect(said([{ ...request, address: 'x'.repeat(2_001) }])).toBe(undefined);
  });

  it('P-49 contain a screenshot only with a PNG signature', () => {
    const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1]).buffer;
    const picture = { type: 'screenshot', purpose: 'user', undrawn: ['1 frame'] };
    expect(parseToolMessage({ ...picture, png })).toMatchObject({ type: 'screenshot' });
    const page = new TextEncoder().encode('<!doctype html>').buffer;
    expect(parseToolMessage({ ...picture, png: page })).toBe(undefined);
    expect(parseToolMessage({ ...picture, png, undrawn: ['x'.repeat(81)] })).toBe(undefined);
    expect(parseToolMessage({ ...picture, png, purpose: 'other' })).toBe(undefined);
  });
});

describe('P-46 a network rule', () => {
  const own = 'http://own.test';
  const matches = (pattern: string, address: string) =>
    findMatchingRule([{ pattern, effect: { kind: 'fail' } }], new URL(address), own) !== undefined;

  it('matches a project path or URL, with * for any characters', () => {
    expect(matches('/a.json', `${own}/a.json?x`)).toBe(true);
    expect(matches('/a.json', 'https://other.test/a.json')).toBe(false);
    expect(matches('/api/*', `${own}/api/users`)).toBe(true);
    expect(matches('/a*a', `${own}/a`)).toBe(false);
    expect(matches('*.png', 'https://other.test/x.png')).toBe(true);
    expect(matches('https://other.test/*', 'https://other.test/x?y')).toBe(true);
  });

  it('is rejected with too long a delay or an invalid status', () => {
    const rule = (effect: unknown) => parseRules([{ pattern: '/a', effect }]);
    expect(rule({ kind: 'wait', ms: 60_000 })).toHaveLength(1);
    expect(rule({ kind: 'wait', ms: 60_001 })).toBe(undefined);
    expect(rule({ kind: 'status', status: 99 })).toBe(undefined);
  });
});
