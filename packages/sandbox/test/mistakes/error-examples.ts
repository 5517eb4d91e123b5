/** Code that provokes the errors of the sandbox's table, by row. */
import type { errorRows, genericRows } from '../../src/host/error-messages/error-table.ts';

export type BrowserName = 'chromium' | 'firefox';

export interface ErrorExample {
  /** Code of a module. */
  source: string;
  /** The expected explanation, unless it is the same for every error of the row. */
  message?: string;
  /** The only browser in which the row explains this. */
  only?: BrowserName;
}

/** An example whose explanation is the row's text. */
function all(...sources: string[]): ErrorExample[] {
  return sources.map((source) => ({ source }));
}

function only(browser: BrowserName, ...sources: string[]): ErrorExample[] {
  return sources.map((source) => ({ source, only: browser }));
}

/** [source, message, only] */
function each(...examples: [string, string, BrowserName?][]): ErrorExample[] {
  return examples.map(([source, message, browser]) => ({
    source,
    message,
    ...(browser && { only: browser }),
  }));
}

const invalidRegExp = (pattern: string, why: string): [string, string, BrowserName] => [
  `new RegExp(${JSON.stringify(pattern)})`,
  `Invalid regular expression: ${why}.`,
  'firefox',
];

/** An empty WAV file. */
const wav = 'data:audio/wav;base64,UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';

export const errorExamples: Record<
  keyof typeof errorRows | keyof typeof genericRows,
  ErrorExample[]
> = {
  'undefined name': each(
    ['typeof q; q', '“q” is not defined.'],
    ['zz = 1', '“zz” is not defined.'],
    ['zz = yy', '“yy” is not defined.'],
  ),
  'use before initialization': each([
    'late; let late = 1',
    '“late” is used before it’s initialized.',
  ]),
  'missing super call': all('class A {}; class B extends A { constructor() {} }; new B()'),
  'property of null or undefined': each(
    ['let o = {}; o.a.b.c', 'Can’t read “b” of “o.a”, which is undefined.'],
    ['let o = {}; o.a[0]', 'Can’t read “0” of “o.a”, which is undefined.'],
    ['let n = null; n.size = 1', 'Can’t set “size” of “n”, which is null.'],
    ['undefined.a', 'Can’t read “a” of undefined.', 'firefox'],
    [
      'document.querySelector("#go").onclick = 1',
      'Can’t set “onclick” of “document.querySelector("#go")”, which is null: no element matched “#go” at that point.',
    ],
  ),
  'destructuring null or undefined': each(
    ['let o; let { a } = o', 'Can’t destructure “a” of “o”, which is undefined.'],
    ['let { a } = undefined', 'Can’t destructure “a” of undefined.'],
    ['(({ a }) => a)()', 'Can’t destructure “a” of undefined.', 'chromium'],
    ['(({ a }) => a)()', 'Can’t destructure undefined.', 'firefox'],
    ['let {} = null', 'Can’t destructure null.'],
  ),
  'not a function': each(
    ['let o = {}; o.go()', '“o.go” is not a function.'],
    ['let a = 1; a()', '“a” is not a function.'],
    ['document.body.appendChildd(1)', '“document.body.appendChildd” is not a function.'],
    ['[].map(1)', '“1” is not a function.'],
    ['[1].forEach({})', 'Expected a function.'],
    ['"x".foo()', '“"x".foo” is not a function.'],
    ['new (class { go() { this.b() } })().go()', '“this.b” is not a function.'],
    ['undefined()', '“undefined” is not a function.'],
  ),
  'promise without executor': only('chromium', 'new Promise()'),
  'not iterable': each(
    ['let [a] = undefined', '“undefined” isn’t iterable.'],
    ['let o; let [a] = o', '“o” isn’t iterable.'],
    ['let o = 5; for await (const x of o);', '“o” isn’t iterable.'],
    [
      'for (const [k, v] of {a: 1});',
      'Objects aren’t iterable. Use Object.entries(…) to loop over one.',
    ],
    ['[...5]', '“5” isn’t iterable.'],
    ['new Set(5)', '“5” isn’t iterable.'],
    ['null[Symbol.iterator]', '“null” isn’t iterable.'],
  ),
  'spread of a value that isn’t iterable': only('chromium', 'Math.max(...5)'),
  'not pairs': all('new Map([1])', 'Object.fromEntries([1])'),
  'extending a value that isn’t a class': all(
    'class A extends null {}; new A()',
    'class A extends undefined {}',
  ),
  'not a constructor': each(
    ['let n = {...null}; new n()', '“n” isn’t a constructor.'],
    ['new Symbol()', '“Symbol” isn’t a constructor.'],
    ['Reflect.construct(1)', '“1” isn’t a constructor.'],
  ),
  'class without new': each(
    ['class A {}; A()', '“A” is a class and must be called with “new”.'],
    ['(class {})()', 'A class must be called with “new”.'],
  ),
  'built-in class without new': each(
    ['Promise()', '“Promise” is a class and must be called with “new”.'],
    ['Map()', '“Map” is a class and must be called with “new”.'],
    ['Image()', '“Image” is a class and must be called with “new”.'],
  ),
  'assignment to a constant': each([
    'const c = 1; c = 2',
    'Can’t assign to “c” because it’s a constant.',
  ]),
  'null or undefined as an object': all('Object.keys(null)'),
  'not an object': all('Object.defineProperty(1, "a", {})', 'Reflect.ownKeys(1)'),
  'reduce of an empty array': all('[].reduce((a) => a)'),
  'read-only property': each(
    ['"abc".length = 1', '“length” is read-only.'],
    ['Object.freeze([1])[0] = 2', '“0” is read-only.'],
  ),
  'adding a property to a frozen object': each(
    ['Object.freeze({}).x = 1', 'Can’t add “x”: the object is frozen or sealed.'],
    [
      'Object.defineProperty(Object.freeze({}), "a", { value: 1 })',
      'Can’t add “a”: the object is frozen or sealed.',
    ],
  ),
  'deleting a property of a frozen object': each([
    'delete Object.freeze({ a: 1 }).a',
    'Can’t delete “a”: the object is frozen or sealed.',
  ]),
  'property of a primitive': each([
    '"abc".x = 1',
    'Can’t set “x” on a string, number, or boolean.',
  ]),
  'property with only a getter': each([
    '({ get a() { return 1 } }).a = 2',
    'Can’t set “a”: it only has a getter.',
  ]),
  'private field of another class': each(
    [
      'class A { #a = 1; static x(o) { return o.#a } }; A.x({})',
      'This object is of a different class and has no private field “#a”.',
      'chromium',
    ],
    [
      'class A { #a = 1; static x(o) { o.#a = 2 } }; A.x({})',
      'This object is of a different class and has no such private field.',
      'firefox',
    ],
    [
      'class A { #m() {} static x(o) { o.#m() } }; A.x({})',
      'This object is of a different class and has no such private field.',
    ],
  ),
  instanceof: all('1 instanceof 2'),
  in: all('"a" in "b"', '"a" in 5'),
  recursion: all('const f = () => f(); f()'),
  'loop guard': all('while (true);'),
  'array length': all('new Uint8Array(-1)', 'new Array(-1)', '[].length = -1'),
  date: all('new Date(NaN).toISOString()', 'new Intl.DateTimeFormat("en").format(NaN)'),
  'number of digits': all('(1).toFixed(101)', '(1).toString(1)'),
  'negative repetition': all('"a".repeat(-1)'),
  'string length': all('"a".repeat(1e10)', 'let s = "x".repeat(2 ** 28); s + s + s + s + s'),
  'language tag': each([
    '"a".localeCompare("b", "xx_yy")',
    '“xx_yy” isn’t a valid language tag. Use one like “en” or “pt-BR”.',
  ]),
  'currency without a code': all('new Intl.NumberFormat("en", { style: "currency" })'),
  'HTML as JSON': only(
    'chromium',
    'JSON.parse("<!doctype html>")',
    'await new Response("<!doctype html>").json()',
  ),
  'incomplete JSON': all(
    'JSON.parse("")',
    `JSON.parse('{"a":"b')`,
    'await new Response("").json()',
  ),
  'undefined as JSON': only('chromium', 'JSON.parse(undefined)'),
  'not JSON': only('firefox', 'JSON.parse(undefined)', '(async () => (await fetch("/")).json())()'),
  'circular JSON': all('const a = {}; a.a = a; JSON.stringify(a)'),
  'BigInt from another value': all('BigInt(1.5)', 'BigInt("x")'),
  'BigInt and number': all('1n * 2', 'Math.max(1n)'),
  'symbol as a number': all('Number(Symbol())'),
  'symbol as a string': all('`${Symbol()}`'),
  URI: all('decodeURIComponent("%")'),
  'regular expression flag': each(['new RegExp("a", "q")', 'Invalid regular expression flag “q”.']),
  'regular expression': each(
    invalidRegExp('(', 'unterminated parenthetical'),
    invalidRegExp('[', 'unterminated character class'),
    invalidRegExp('*', 'nothing to repeat'),
    invalidRegExp('a{2,1}', 'numbers out of order in {} quantifier'),
    invalidRegExp('[z-a]', 'invalid range in character class'),
    invalidRegExp('(?x)', 'invalid regexp group'),
    invalidRegExp(')', 'unmatched )'),
    invalidRegExp('(?<a>.)(?<a>.)', 'duplicate capture group name'),
  ),
  'failed import()': each([
    'await import("./missing.js")',
    'missing.js failed to load: the file or one of its imports is missing.',
  ]),
  'failed request': each([
    'await fetch("http://127.0.0.1:1/")',
    'The request to 127.0.0.1:1 failed: the host is unreachable or doesn’t allow cross-origin requests (CORS).',
  ]),
  'URL of a request': all('await fetch("http://")'),
  URL: all('new URL("nope")'),
  'module specifier': each(
    [
      'await import("nope")',
      'Can’t resolve “nope”. It isn’t an installed package, and relative paths start with “./”.',
    ],
    [
      'import "nope"',
      'Can’t resolve “nope”. It isn’t an installed package, and relative paths start with “./”.',
    ],
    [
      `await import("data:text/javascript,import('./nope.js').catch(reportError)")`,
      'Can’t resolve “./nope.js”. It isn’t an installed package, and relative paths start with “./”.',
    ],
  ),
  'empty selector': all('document.querySelector("")'),
  selector: each(
    ['document.querySelectorAll("a[")', '“a[” isn’t a valid selector.'],
    [`document.body.closest("a['")`, "“a['” isn’t a valid selector."],
  ),
  'not a node': all('document.body.appendChild(null)', 'document.body.appendChild({})'),
  'not a child': all(
    'document.body.removeChild(document.createElement("p"))',
    'document.body.insertBefore(document.createElement("p"), document.createElement("p"))',
    'document.body.replaceChild(document.createElement("p"), document.createElement("p"))',
  ),
  hierarchy: all('document.querySelector("#a").appendChild(document.body)'),
  'class name with spaces': all('document.body.classList.add("a b")'),
  'empty class name': all('document.body.classList.add("")'),
  'element name': all('document.createElement("1")'),
  'attribute name': all('document.body.setAttribute("1 x", 1)'),
  'custom element name': each([
    'customElements.define("x", class extends HTMLElement {})',
    '“x” isn’t a valid custom element name. It needs a hyphen, as in “my-clock”.',
  ]),
  'custom element defined twice': each([
    'for (const _ of [1, 2]) customElements.define("x-a", class extends HTMLElement {})',
    'The custom element “x-a” is already defined.',
  ]),
  'random values': all('crypto.getRandomValues(new Uint8Array(70000))'),
  'structured clone': all('structuredClone(() => {})', 'structuredClone(Promise.resolve())'),
  autoplay: all(`await new Audio('${wav}').play()`),
  media: all(
    'await Object.assign(document.createElement("video"), { src: "/nope", muted: true }).play()',
  ),
  abort: all('AbortSignal.abort().throwIfAborted()'),
  timeout: all('await fetch("/", { signal: AbortSignal.timeout(0) })'),
  'service worker': all('await navigator.serviceWorker.register("/missing.js")'),
  'missing arguments': each(
    ['new IntersectionObserver()', '“IntersectionObserver” requires 1 argument, but got 0.'],
    ['setTimeout()', '“setTimeout” requires 1 argument, but got 0.'],
    [
      'document.body.addEventListener("click")',
      '“addEventListener” requires 2 arguments, but got 1.',
    ],
  ),
  'cross-origin script': all(
    `const script = document.createElement('script');
script.src = 'http://localhost:' + location.port + '/throwing.js';
document.head.append(script);`,
  ),
  JSON: all(
    `JSON.parse('{"a":1,}')`,
    `JSON.parse('[1,]')`,
    `JSON.parse('1 2')`,
    `JSON.parse('01')`,
    'JSON.parse({})',
    `await new Response('{a:1}').json()`,
  ),
  'invalid character': all('btoa("→")'),
  'storage quota': all('localStorage.setItem("a", "x".repeat(2e7))'),
  permission: all('await navigator.clipboard.readText()'),
  security: all('history.pushState(null, "", "http://other.example/")'),
  'web API': each(
    [
      'document.createElement("canvas").getContext("2d").arc(0, 0, -1, 0, 1)',
      '“arc” failed: The radius provided (-1) is negative.',
      'chromium',
    ],
    [
      'document.createElement("canvas").getContext("2d").arc(0, 0, -1, 0, 1)',
      '“arc” failed: Negative radius.',
      'firefox',
    ],
  ),
  syntax: each(
    ['eval("a b")', 'Syntax error: Unexpected identifier “b”.', 'chromium'],
    ['eval("a b")', 'Syntax error: unexpected token: identifier.', 'firefox'],
    ['new RegExp("(")', 'Invalid regular expression: unterminated group.', 'chromium'],
  ),
};
