import { isTestPath } from '@vitrine/project';

const word = String.raw`[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*`;
/** `let a, { b } = c` → `a, { b }` */
const declared = new RegExp(
  String.raw`\b(?:var|let|const|function\s*\*?|class)\s+((?:${word}|[\s,{}[\]:])+)`,
  'gu',
);
/** `window.a`, `window['a']` */
const onWindow = String.raw`(?:\.(${word})|\[\s*["'](${word})["']\s*\])`;
/** `const w = window`, `root = typeof self !== 'undefined' ? self : this`, `(function (root) { … })(this)` */
const windowAliases = [
  new RegExp(String.raw`(${word})\s*=\s*[^=;\n]*\b(?:window|globalThis|self|this)\b`, 'gu'),
  /\bfunction\s*\w*\s*\(\s*([\w$]+)[^()]*\)\s*\{/g,
];
/** `Object.assign(window, { a, b: 1 })`, `Object.defineProperty(window, 'a', …)` */
const assigned =
  /\bObject\.(?:assign|definePropert(?:y|ies))\(\s*(?:window|globalThis|self)\s*,\s*([^)]*)/g;
const ofElements = /\bid\s*=\s*["']?([\w$]+)/g;
const words = new RegExp(word, 'gu');
const ofOtherHost = /<script\b[^>]*\ssrc\s*=\s*["']?(?:https?:)?\/\//i;

/**
 * The names that a script of a project may find beside those of every page: what other scripts and
 * pages declare, what anybody puts on the window, elements by their ids. It takes too many rather than
 * too few. Undefined where nobody knows them all: a script of another host brings names of its own,
 * and tests have theirs.
 */
export function findNames(
  files: ReadonlyMap<string, string>,
  path: string,
): readonly string[] | undefined {
  if (isTestPath(path)) return undefined;
  const pages = [...files].filter(([each]) => /\.html?$/.test(each));
  if (pages.some(([, text]) => ofOtherHost.test(text))) return undefined;
  const scripts = [...files].filter(([each]) => /\.[cm]?jsx?$/.test(each) && each !== path);
  const found = new Set<string>();
  for (const [, text] of [...pages, ...scripts])
    for (const [, names = ''] of text.matchAll(declared))
      for (const [name] of names.matchAll(words)) found.add(name);
  for (const text of files.values()) for (const name of namesOnWindow(text)) found.add(name);
  for (const [, text] of pages)
    for (const [, name = ''] of text.matchAll(ofElements)) found.add(name);
  return [...found, ...namesOfRealm(path, files.get(path) ?? '')];
}

function* namesOnWindow(text: string): Generator<string> {
  const aliases = windowAliases.flatMap((alias) =>
    Array.from(text.matchAll(alias), ([, name]) => name),
  );
  const holders = [...new Set(['window', 'globalThis', 'self', ...aliases])].flatMap(
    (name) => name?.replaceAll('$', String.raw`\$`) ?? [],
  );
  const pattern = new RegExp(String.raw`(?<![\w$.])(?:${holders.join('|')})${onWindow}`, 'gu');
  for (const [, dotted, quoted] of text.matchAll(pattern)) yield dotted ?? quoted ?? '';
  for (const [, given = ''] of text.matchAll(assigned))
    for (const [name] of given.matchAll(words)) yield name;
}

const ofNode = 'module exports require process Buffer global __dirname __filename'.split(' ');
const ofWorklets =
  `AudioWorkletProcessor AudioWorkletGlobalScope registerProcessor registerPaint registerLayout
  registerAnimator currentFrame currentTime sampleRate sharedStorage`.split(/\s+/);
const ofWorkers =
  `clients skipWaiting registration onconnect oninstall onactivate onfetch onpush onsync
  onnotificationclick serviceWorker importScripts`.split(/\s+/);

/** Names that are there only where a file runs: in Node, in a worklet, in a shared or service worker. */
function namesOfRealm(path: string, text: string): readonly string[] {
  if (/(?:^|\/)(?:[\w.-]+\.config|\.[\w-]+rc)\.[cm]?js$|\.cjs$/.test(path)) return ofNode;
  if (/\bregister(?:Processor|Paint|Layout|Animator)\s*\(/.test(text)) return ofWorklets;
  return ofWorkers;
}
