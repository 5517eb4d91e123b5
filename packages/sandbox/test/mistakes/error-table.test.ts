import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { compileFile, createModuleContext, readProjectConfig } from '@vitrine/compiler';
import { transformScript } from '@vitrine/compiler/native';
import { readTailwindSheets } from '@vitrine/compiler/native/tailwind';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { readErrorContext } from '../../src/host/error-messages/error-context.ts';
import {
  errorRows,
  explainError,
  genericRows,
  type ErrorRow,
} from '../../src/host/error-messages/error-table.ts';
import { startChromium } from '../rig/chromium.ts';
import { startFirefox } from '@vitrine/testing/firefox';
import { errorExamples, type BrowserName, type ErrorExample } from './error-examples.ts';

/** What a browser reports for an example. */
interface Reported {
  message: string;
  line: number;
  column: number;
}

/** Runs the modules /0.js, /1.js … one after the other, and sends what the browser reports to the server. */
const page = String.raw`<!doctype html><body><p id="a"></p><script type="module">
const run = (path) => new Promise((resolve) => {
  const report = (thrown, message, line, column) => {
    const isError = thrown instanceof Error || thrown instanceof DOMException;
    const [, ...place] = new RegExp(path + ':(\d+):(\d+)').exec(thrown?.stack) ?? [0, 1, 1];
    const [ownLine, ownColumn] = line > 0 ? [line, column] : place.map(Number);
    clearTimeout(timer);
    resolve({ message: isError ? thrown.name + ': ' + thrown.message : message, line: ownLine, column: ownColumn });
  };
  const timer = setTimeout(report, 5000, undefined, 'nothing', 1, 1);
  window.onerror = (message, _source, line, column, error) => report(error, message, line, column);
  window.onunhandledrejection = ({ reason }) => report(reason, String(reason), 0, 0);
  document.head.append(Object.assign(document.createElement('script'), { type: 'module', src: path }));
});
const post = window.fetch.bind(window);
for (let number = 0; number < new URLSearchParams(location.search).get('count'); number++)
  await post('/report', { method: 'POST', body: JSON.stringify(await run('/' + number + '.js')) });
</script>`;

/** Opens a page in the browser. Nothing is evaluated in it, which would count as a click and allow audio. */
const open: Record<BrowserName, (url: string) => Promise<() => Promise<void>>> = {
  async chromium(url) {
    const browser = await startChromium();
    const tab = await browser.newPage();
    await tab.goto(url);
    return () => browser.close();
  },
  async firefox(url) {
    const { browser, close } = await startFirefox();
    const tab = await browser.newPage();
    await tab.goto(url);
    return close;
  },
};

/** What the browser reports for each of these modules. */
async function runAll(sources: readonly string[], browser: BrowserName): Promise<Reported[]> {
  const reported: Reported[] = [];
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://server');
    const number = /^\/(\d+)\.js$/.exec(pathname)?.[1];
    if (pathname === '/report') {
      reported.push(JSON.parse(Buffer.concat(await request.toArray()).toString()));
      if (reported.length === sources.length) server.emit('finished');
      response.end();
      return;
    }
    const script = number === undefined ? 'throw 1' : sources[Number(number)];
    const isScript = number !== undefined || pathname === '/throwing.js';
    response.statusCode = isScript || pathname === '/' ? 200 : 404;
    response.setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html');
    response.end(isScript ? script : page);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const finished = once(server, 'finished');
  const { port } = server.address() as AddressInfo;
  const close = await open[browser](`http://127.0.0.1:${port}/?count=${sources.length}`);
  await finished;
  await close();
  server.closeAllConnections();
  server.close();
  return reported;
}

/** An endless loop with the compiler's guard, when the time is up. */
async function compileEndlessLoop(): Promise<string> {
  const files = new Map([['a.js', 'while (true);']]);
  const packages = { origin: '', fullExportUrls: new Set<string>() };
  const { code } = await compileFile(
    { path: 'a.js', text: 'while (true);' },
    createModuleContext(readProjectConfig(files), packages, true),
    files,
    {
      loadTransform: () => Promise.resolve(transformScript),
      loadTailwindSheets: readTailwindSheets,
    },
  );
  return `globalThis.__vitrineStep = () => true;${code}`;
}

const specific = Object.entries<ErrorRow>(errorRows);
const generic = Object.entries<ErrorRow>(genericRows);
const allExamples = new Map<string, readonly ErrorExample[]>(Object.entries(errorExamples));

function matches({ both = [], chromium = [], firefox = [] }: ErrorRow, message: string): boolean {
  return [...both, ...chromium, ...firefox].some((pattern) => pattern.test(message));
}

function namesOf(rows: readonly (readonly [string, ErrorRow])[], message: string): string[] {
  return rows.filter(([, row]) => matches(row, message)).map(([name]) => name);
}

describe.each(['chromium', 'firefox'] as const)('what %s reports', (browser) => {
  const rowsHere = [...specific, ...generic].filter(([, row]) => row.both ?? row[browser]);
  const reports = new Map<ErrorExample, Reported>();
  const examplesOf = (name: string) =>
    (allExamples.get(name) ?? []).filter(({ only = browser }) => only === browser);

  beforeAll(async () => {
    vi.stubGlobal('navigator', { onLine: true });
    const examples = rowsHere.flatMap(([name]) => examplesOf(name));
    const loop = await compileEndlessLoop();
    const sources = examples.map(({ source }) => (source === 'while (true);' ? loop : source));
    const reported = await runAll(sources, browser);
    for (const [at, report] of reported.entries()) {
      const example = examples[at];
      if (example) reports.set(example, report);
    }
  });

  it.each(rowsHere)('is explained by one row: %s', (name, row) => {
    const messages = examplesOf(name).map((example) => {
      const { message, ...location } = reports.get(example) ?? { message: '', line: 1, column: 1 };
      const found = namesOf(specific, message);
      const [first] = found.length > 0 ? found : namesOf(generic, message);
      expect({ message, rows: found, first }).toEqual({
        message,
        rows: name in errorRows ? [name] : [],
        first: name,
      });
      const explained = example.message ?? row.explain;
      const context = readErrorContext(example.source, location);
      expect({ thrown: message, ...explainError(message, context) }).toMatchObject({
        thrown: message,
        message: explained,
      });
      return message;
    });
    for (const pattern of [...(row.both ?? []), ...(row[browser] ?? [])])
      expect(messages.some((message) => pattern.test(message))).toBe(true);
  });
});

it('shows a message that no rule matches unchanged', () => {
  const nowhere = readErrorContext('', { line: 0, column: 0 });
  const explain = (words: string) => explainError(words, nowhere).message;
  expect(explain('Error: No birds')).toBe('No birds');
  expect(explain('BirdError: None came')).toBe('BirdError: None came');
  expect(explain('Error: ')).toBe('“Error” was thrown without a message.');
  expect(explain('{"a":1}')).toBe('{"a":1} was thrown.');
  expect(explain('')).toBe('An empty value was thrown.');
});

describe('for a missing method', () => {
  const explainCall = (text: string, called: string) =>
    explainError(
      `TypeError: ${called} is not a function`,
      readErrorContext(text, { line: text.split('\n').length, column: 1 }),
    ).message;

  it.each([
    ['const a = [1];\na.foreach(f)', 'a.foreach', 'forEach'],
    ['const a: number[] = [1];\na.foreach(f)', 'a.foreach', 'forEach'],
    ['[1].pussh(2)', '[1].pussh', 'push'],
    [`'a'.toUppercase()`, `'a'.toUppercase`, 'toUpperCase'],
    ['Math.squrt(4)', 'Math.squrt', 'sqrt'],
    ['JSON.strinify(4)', 'JSON.strinify', 'stringify'],
    ['const m = new Map();\nm.gett(1)', 'm.gett', 'get'],
  ])('%j: suggests a similar name', (text, called, near) => {
    expect(explainCall(text, called)).toBe(
      `“${called}” is not a function. Did you mean “${near}”?`,
    );
  });

  it.each([
    ['an object of a type that is not known', 'f(o);\no.foreach()', 'o.foreach'],
    ['a variable with two values', 'let a = [1];\na = f();\na.foreach()', 'a.foreach'],
    [
      'a variable with the name of a global object',
      'const f = (Math) =>\nMath.squrt()',
      'Math.squrt',
    ],
    ['a class of the project', 'class A {}\nconst a = new A();\na.tset()', 'a.tset'],
    ['another object’s member', 'Math.foreach(1)', 'Math.foreach'],
  ])('suggests nothing for %s', (_what, text, called) => {
    expect(explainCall(text, called)).toBe(`“${called}” is not a function.`);
  });

  it.each([
    ['a string', `'a-b'.sort()`, `'a-b'.sort`, /^A string has no “sort”/],
    ['a Set', 'const s = new Set();\ns.map(f)', 's.map', /^A Set has no “map”\. Use Array\.from/],
    [
      'an HTMLCollection',
      'document.forms.map(f)',
      'document.forms.map',
      /^An HTMLCollection has no “map”\. Use Array\.from/,
    ],
    ['a promise', `fetch('a').json()`, `fetch('a').json`, /^A promise has no “json”/],
    ['an object', 'const o = { a: 1 };\no.map(f)', 'o.map', /^An object has no “map”/],
  ])('%s is distinguished from an array', (_what, text, called, message) => {
    expect(explainCall(text, called)).toMatch(message);
  });
});
