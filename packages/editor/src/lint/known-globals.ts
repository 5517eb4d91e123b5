import { isTestPath } from '@vitrine/project';

const identifier = String.raw`[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*`;
/** Declared names: `let a, { b } = c` → `a, { b }`. */
const declarations = new RegExp(
  String.raw`\b(?:var|let|const|function\s*\*?|class)\s+((?:${identifier}|[\s,{}[\]:])+)`,
  'gu',
);
/** A property of the global object: `window.a`, `window['a']`. */
const globalProperty = String.raw`(?:\.(${identifier})|\[\s*["'](${identifier})["']\s*\])`;
/**
 * Aliases of the global object: `const w = window`, `root = typeof self !== 'undefined' ? self :
 * this`, `(function (root) { … })(this)`.
 */
const windowAliases = [
  new RegExp(String.raw`(${identifier})\s*=\s*[^=;\n]*\b(?:window|globalThis|self|this)\b`, 'gu'),
  /\bfunction\s*\w*\s*\(\s*([\w$]+)[^()]*\)\s*\{/g,
];
/**
 * Assigned globals: `Object.assign(window, { a, b: 1 })`, `Object.defineProperty(window, 'a', …)`.
 */
const globalAssignments =
  /\bObject\.(?:assign|definePropert(?:y|ies))\(\s*(?:window|globalThis|self)\s*,\s*([^)]*)/g;
const elementIds = /\bid\s*=\s*["']?([\w$]+)/g;
const identifiers = new RegExp(identifier, 'gu');
const externalScript = /<script\b[^>]*\ssrc\s*=\s*["']?(?:https?:)?\/\//i;

/**
 * Global names that a project's script may use besides those of the platform: declared in other
 * scripts and pages, assigned to the global object, or ids of elements. Errs on the side of too
 * many. Undefined if they cannot be known: a script from another host may define any, and test
 * files use the test runner's.
 */
export function findKnownGlobals(
  files: ReadonlyMap<string, string>,
  path: string,
): readonly string[] | undefined {
  if (isTestPath(path)) return undefined;
  const pages = [...files].filter(([each]) => /\.html?$/.test(each));
  if (pages.some(([, text]) => externalScript.test(text))) return undefined;
  const scripts = [...files].filter(([each]) => /\.[cm]?jsx?$/.test(each) && each !== path);
  const found = new Set<string>();
  for (const [, text] of [...pages, ...scripts])
    for (const [, names = ''] of text.matchAll(declarations))
      for (const [name] of names.matchAll(identifiers)) found.add(name);
  for (const text of files.values()) for (const name of findAssignedGlobals(text)) found.add(name);
  for (const [, text] of pages)
    for (const [, name = ''] of text.matchAll(elementIds)) found.add(name);
  const text = files.get(path) ?? '';
  return [...found, ...findRealmGlobals(path, text), ...findTestedGlobals(text)];
}

/**
 * Globals whose existence a script itself checks: `typeof Extra`. One that checks for a module system uses the rest
 * of it: `if (typeof module === 'object') module.exports = require('./a')`.
 */
function findTestedGlobals(text: string): readonly string[] {
  const names = Array.from(text.matchAll(testedGlobals), ([, name = '']) => name);
  const hasModules = names.some((name) => moduleSystemGlobals.includes(name));
  return hasModules ? [...names, ...moduleSystemGlobals] : names;
}

function* findAssignedGlobals(text: string): Generator<string> {
  const aliases = windowAliases.flatMap((alias) =>
    Array.from(text.matchAll(alias), ([, name]) => name),
  );
  const globalObjects = [...new Set(['window', 'globalThis', 'self', ...aliases])].flatMap(
    (name) => name?.replaceAll('$', String.raw`\$`) ?? [],
  );
  const pattern = new RegExp(
    String.raw`(?<![\w$.])(?:${globalObjects.join('|')})${globalProperty}`,
    'gu',
  );
  for (const [, dotted, quoted] of text.matchAll(pattern)) yield dotted ?? quoted ?? '';
  for (const [, args = ''] of text.matchAll(globalAssignments))
    for (const [name] of args.matchAll(identifiers)) yield name;
}

const testedGlobals = new RegExp(String.raw`\btypeof\s+(${identifier})`, 'gu');
const moduleSystemGlobals = ['module', 'exports', 'require', 'define'];
const nodeGlobals = 'module exports require process Buffer global __dirname __filename'.split(' ');
const workletGlobals =
  `AudioWorkletProcessor AudioWorkletGlobalScope registerProcessor registerPaint registerLayout
  registerAnimator currentFrame currentTime sampleRate sharedStorage`.split(/\s+/);
const workerGlobals =
  `clients skipWaiting registration onconnect oninstall onactivate onfetch onpush onsync
  onnotificationclick serviceWorker importScripts`.split(/\s+/);

/**
 * Globals that exist only where a file runs: in Node.js, in a worklet, or in a shared or service
 * worker.
 */
function findRealmGlobals(path: string, text: string): readonly string[] {
  if (/(?:^|\/)(?:[\w.-]+\.config|\.[\w-]+rc)\.[cm]?js$|\.cjs$/.test(path)) return nodeGlobals;
  if (/\bregister(?:Processor|Paint|Layout|Animator)\s*\(/.test(text)) return workletGlobals;
  return workerGlobals;
}
