/**
 * Everything that is said between the app's page (host), a preview (frame) and the service worker
 * of a working copy. docs/protocol.md has the rules; their ids stand beside what they rule.
 *
 *     host  ←─ hello, with a port ──  frame ──── store, forget ───→  service worker
 *     host  ←──── port: FromFrame ──  frame
 *     host  ── port: ToFrame ──────→  frame
 *     host  ←───────────── port that went along with a store: StoreAnswer ──┘
 *
 * User code shares the frame's realm, so whatever comes from a frame or a service worker may be
 * forged by it: hosts read it with the parsers below, and nothing in it may cause a write (P-09).
 */
import { parseAddressSaid, type AddressSaid, type Journey } from './address-messages.ts';
import { parseConsoleAnswer, type ConsoleAnswer, type ConsoleAsk } from './console-messages.ts';
import { isRecord, parseConsoleValues, parseCount, type ConsoleValue } from './console-values.ts';
import type { ToDevtools } from './devtools-messages.ts';
import { parseInvalid, type HotMessage, type InvalidMessage } from './hot-messages.ts';
import { parseRules, type NetworkRule } from './network-rules.ts';
import { parseRuntimeProblem, type RuntimeProblem } from './problem-messages.ts';
import { parseTestEvent, type TestEvent, type TestRequest } from './test-messages.ts';
import {
  findToolName,
  parseToolSaid,
  type ToolName,
  type ToolSaid,
  type ToTool,
} from './tool-messages.ts';

/** Raised when a message changes its meaning; frames of another version are not answered. */
export const protocolVersion = 1;

/**
 * Raised when what an older service worker has stored, or answers, will not do. It is in the address
 * of the script: a page sees by its controller's whether an older one has answered for it.
 */
export const serviceWorkerVersion = 3;

/**
 * Carries the run's id, the tools that the document begins with, the version that it is to have (P-17)
 * and where to scroll to, in the addresses that hosts open: `ID`, `ID~network`, `ID@3`, `ID@3.X.Y`.
 */
export const runParameter = '__vitrine';

/** Names the file that a page was made from, where its address may be one that its own script has made up. */
export const pageParameter = '__vitrine-page';

export interface RunParameter {
  run: string;
  tools: ToolName[];
  version: number | null;
  scroll: [x: number, y: number] | null;
}

/** What a document was made from. */
export type Shown =
  /** An empty page that waits for the files. */
  | { kind: 'boot' }
  /** The page of the portable path, which waits for a document to write. */
  | { kind: 'portable' }
  /** The page of the tests, which waits for a file to run. */
  | { kind: 'tests' }
  /** The page of the DevTools tab, which waits for a page to look into. */
  | { kind: 'devtools' }
  /** A saved project's file, answered by the server. */
  | { kind: 'saved'; revision: number }
  /** A file as a host sent it, answered by the service worker. */
  | { kind: 'run'; run: string; version: number }
  /** Our own page that says a file (or project) is not there. */
  | { kind: 'absent' };

/** frame → host, by `postMessage` to the app's exact origin, with one port: "I am here". P-01 */
export interface Hello {
  vitrine: 'hello';
  protocol: typeof protocolVersion;
  shown: Shown;
  /** The document's path in the project, `index.html`; of our page for what is not there, the address asked for. */
  path: string;
}

/** host → frame, over the port. */
export type ToFrame =
  /** Answer with a pong. P-20 */
  | { type: 'ping'; count: number }
  /** The frame is about to be taken away: handlers of `beforeunload` are not to ask. P-21 */
  | { type: 'closing' }
  /** Register the service worker, behind the page. */
  | { type: 'install' }
  /** Hand this to the service worker, with the port that comes along. */
  | { type: 'relay'; message: ToServiceWorker }
  | ShowMessage
  /** Put these texts in the place of stylesheets; `unused` unless each but `parts` is linked. */
  | { type: 'style'; styles: [path: string, text: string][]; parts: string[]; version: number }
  /** Make the document what this text says, without a reload if nothing can tell the difference. */
  | { type: 'document'; before: string; text: string; version: number }
  /** For the console, of what is in the page; answered with the same id. P-24 */
  | { type: 'console-ask'; id: number; ask: ConsoleAsk }
  | HotMessage
  /** Portable path: become this document, once. */
  | { type: 'write'; project: PortableProject }
  | Journey
  | { type: 'tool'; message: ToTool }
  /** Page of the tests: run this file, once. */
  | { type: 'test'; test: TestRequest }
  /** Page of the DevTools tab. */
  | { type: 'devtools'; said: ToDevtools };

/**
 * Leave for this page of the run, or (null) the same page again, keeping the scroll position; not at
 * all if `unlessUnused` names files that the document never asked for.
 */
export interface ShowMessage {
  type: 'show';
  run: string;
  path: string | null;
  version: number;
  unlessUnused: string[] | null;
}

/** A project without addresses: texts name each other as `vitrine-file:PATH` (compiler, inline-project.ts). */
export interface PortableProject {
  /** Path of the document. */
  path: string;
  html: string;
  /** Length of the part of `html` whose last element is an import map of ours; 0 where there is none. */
  mapEnd: number;
  /** In an order in which each names only earlier ones. */
  files: InlinedFile[];
  scroll: [x: number, y: number];
  /** What the address ends with: "#top", or "". */
  hash: string;
}

export type InlinedFile = [path: string, text: string, mediaType: string];

/** frame → host, over the port. */
export type FromFrame =
  | { type: 'pong'; count: number }
  /** The document is parsed and its first frame painted. */
  | { type: 'painted' }
  /** The document is about to go. */
  | { type: 'leaving' }
  /** What became of a `style`, `document`, `hot` or `show` with changes. */
  | { type: 'applied'; version: number; outcome: Outcome }
  | InvalidMessage
  | { type: 'console'; entry: ConsoleEntry }
  /** Entries that were not sent, since there were too many. P-22 */
  | { type: 'dropped'; count: number }
  | { type: 'console-answer'; id: number; answer: ConsoleAnswer }
  | { type: 'problem'; problem: RuntimeProblem }
  /** A rejection that was reported as unhandled has been handled after all. P-23 */
  | { type: 'rejection-handled'; rejection: number }
  /** Portable path: a link to another page of the project was followed. */
  | { type: 'visit'; path: string; hash: string }
  /** Portable path: where the page is scrolled to, for the frame that takes its place. */
  | { type: 'scrolled'; x: number; y: number }
  /** A dialog (alert, confirm, prompt, print) holds the page: no answer is no hang. */
  | { type: 'dialog'; open: boolean }
  /** Page of the tests: how the file goes. */
  | { type: 'tests'; event: TestEvent }
  /** The browser refuses service workers here. */
  | { type: 'refused' }
  /** Page of the DevTools tab: the page that it looks into is wanted anew. */
  | { type: 'reload-page' }
  | AddressSaid
  | ToolSaid;

/** `failed`: a new module threw, and said so by a problem. */
export type Outcome = (typeof outcomes)[number];
const outcomes = ['done', 'unused', 'reload', 'failed'] as const;

/** A place in the project's code; '' and 0 where it cannot be told. */
export interface CodePlace {
  path: string;
  line: number;
  column: number;
}

export type ConsoleMethod = (typeof consoleMethods)[number];
export const consoleMethods = [
  'log',
  'info',
  'warn',
  'error',
  'debug',
  'table',
  'trace',
  'dir',
  'group',
  'groupCollapsed',
  'groupEnd',
  'clear',
] as const;

/** With the place that it was called from, in what runs: the host finds it in what was written. */
export interface ConsoleEntry extends CodePlace {
  method: ConsoleMethod;
  values: ConsoleValue[];
  /** Milliseconds since the epoch. */
  time: number;
  /** Which frame or worker of the page has logged it; the page itself where it is not said. */
  realm?: string;
  /** The number of the rejection that it reports, by which `rejection-handled` names it. */
  rejection?: number;
}

/** A file as it was written. */
export interface StoredFile {
  path: string;
  text: string;
  mediaType: string;
  /** What runs in its place; null where the text itself does. */
  code: string | null;
  /** What a script that imports it gets; null where that is made of the text. */
  module: string | null;
}

/** frame → service worker. */
export type ToServiceWorker =
  /** Keep these files for a run; `base` is the version they change, null for a whole set. P-12 */
  | {
      type: 'store';
      run: string;
      base: number | null;
      version: number;
      files: StoredFile[];
      removed: string[];
    }
  | { type: 'forget'; run: string }
  /** Hold up or refuse what documents of this run ask of their own origin. */
  | { type: 'rules'; run: string; rules: NetworkRule[] };

/** service worker → host, over the port that came with the store. */
export type StoreAnswer =
  | { type: 'stored'; version: number }
  /** The base is not here any more: send everything. */
  | { type: 'base-unknown' };

const textLimit = 10_000;

export function parseHello(input: unknown): Hello | undefined {
  if (!isRecord(input) || input['vitrine'] !== 'hello') return undefined;
  if (input['protocol'] !== protocolVersion) return undefined;
  const shown = parseShown(input['shown']);
  const path = parseText(input['path']);
  if (!shown || path === undefined) return undefined;
  return { vitrine: 'hello', protocol: protocolVersion, shown, path };
}

function parseShown(input: unknown): Shown | undefined {
  if (!isRecord(input)) return undefined;
  switch (input['kind']) {
    case 'boot':
    case 'portable':
    case 'tests':
    case 'devtools':
    case 'absent':
      return { kind: input['kind'] };
    case 'saved': {
      const revision = parseCount(input['revision']);
      return revision === undefined ? undefined : { kind: 'saved', revision };
    }
    case 'run': {
      const run = parseText(input['run']);
      const version = parseCount(input['version']);
      return run === undefined || version === undefined ? undefined : { kind: 'run', run, version };
    }
    default:
      return undefined;
  }
}

export function parseFromFrame(input: unknown): FromFrame | undefined {
  if (!isRecord(input)) return undefined;
  switch (input['type']) {
    case 'painted':
    case 'leaving':
    case 'refused':
    case 'reload-page':
      return { type: input['type'] };
    case 'pong':
    case 'dropped': {
      const count = parseCount(input['count']);
      return count === undefined ? undefined : { type: input['type'], count };
    }
    case 'rejection-handled': {
      const rejection = parseCount(input['rejection']);
      return rejection === undefined ? undefined : { type: 'rejection-handled', rejection };
    }
    case 'applied':
      return parseApplied(input);
    case 'invalid':
      return parseInvalid(input);
    case 'visit': {
      const [path, hash] = [parseText(input['path']), parseText(input['hash'])];
      return path === undefined || hash === undefined ? undefined : { type: 'visit', path, hash };
    }
    case 'scrolled': {
      const [x, y] = [parseCount(input['x']), parseCount(input['y'])];
      return x === undefined || y === undefined ? undefined : { type: 'scrolled', x, y };
    }
    case 'dialog':
      return typeof input['open'] === 'boolean'
        ? { type: 'dialog', open: input['open'] }
        : undefined;
    case 'console': {
      const entry = parseConsoleEntry(input['entry']);
      return entry && { type: 'console', entry };
    }
    case 'console-answer': {
      const [id, answer] = [parseCount(input['id']), parseConsoleAnswer(input['answer'])];
      return id === undefined || !answer ? undefined : { type: 'console-answer', id, answer };
    }
    case 'problem': {
      const said = input['problem'];
      const place = isRecord(said) ? parsePlaceInCode(said) : undefined;
      const problem = parseRuntimeProblem(said, place);
      return problem && { type: 'problem', problem };
    }
    case 'tests': {
      const event = parseTestEvent(input['event']);
      return event && { type: 'tests', event };
    }
    default:
      return parseAddressSaid(input) ?? parseToolSaid(input);
  }
}

function parseApplied(input: Record<string, unknown>): FromFrame | undefined {
  const version = parseCount(input['version']);
  const outcome = outcomes.find((name) => name === input['outcome']);
  if (version === undefined || outcome === undefined) return undefined;
  return { type: 'applied', version, outcome };
}

/** An entry of a console; undefined unless all of it has the shape. */
export function parseConsoleEntry(input: unknown): ConsoleEntry | undefined {
  if (!isRecord(input)) return undefined;
  const method = consoleMethods.find((name) => name === input['method']);
  const values = parseConsoleValues(input['values']);
  const time = typeof input['time'] === 'number' ? input['time'] : Number.NaN;
  const place = parsePlaceInCode(input);
  if (!method || !values || !Number.isFinite(time) || !place) return undefined;
  const rejection = parseCount(input['rejection']);
  const realm = parseText(input['realm'])?.slice(0, 200);
  return {
    method,
    values,
    time,
    ...place,
    ...(rejection !== undefined && { rejection }),
    ...(realm !== undefined && { realm }),
  };
}

function parsePlaceInCode(input: Record<string, unknown>): CodePlace | undefined {
  const path = parseText(input['path']);
  const line = parseCount(input['line']);
  const column = parseCount(input['column']);
  if (path === undefined || line === undefined || column === undefined) return undefined;
  return { path, line, column };
}

/** User code can reach the service worker too, but only with files for its own origin. */
export function parseToServiceWorker(input: unknown): ToServiceWorker | undefined {
  if (!isRecord(input)) return undefined;
  const run = parseRun(input['run']);
  if (run === undefined) return undefined;
  if (input['type'] === 'forget') return { type: 'forget', run };
  if (input['type'] === 'rules') {
    const rules = parseRules(input['rules']);
    return rules && { type: 'rules', run, rules };
  }
  if (input['type'] !== 'store') return undefined;
  const base = input['base'] === null ? null : parseCount(input['base']);
  const version = parseCount(input['version']);
  const files = parseStoredFiles(input['files']);
  const removed = parseTexts(input['removed']);
  if (base === undefined || version === undefined || !files || !removed) return undefined;
  return { type: 'store', run, base, version, files, removed };
}

export function parseStoreAnswer(input: unknown): StoreAnswer | undefined {
  if (!isRecord(input)) return undefined;
  if (input['type'] === 'base-unknown') return { type: 'base-unknown' };
  const version = parseCount(input['version']);
  return input['type'] === 'stored' && version !== undefined
    ? { type: 'stored', version }
    : undefined;
}

/** What an address's query says of the run; undefined where there is nothing of ours. */
export function parseRunParameter(value: string | null): RunParameter | undefined {
  const [, run, tools = '', version, x, y] = runParameterForm.exec(value ?? '') ?? [];
  if (run === undefined) return undefined;
  const named = tools.split('~').map(findToolName);
  return {
    run,
    tools: named.filter((tool) => tool !== undefined),
    version: version === undefined ? null : Number(version),
    scroll: x === undefined ? null : [Number(x), Number(y)],
  };
}

const runParameterForm =
  /^([0-9a-f]{32})((?:~[a-z]{1,20})*)(?:@(\d{1,9}))?(?:\.(\d{1,9})\.(\d{1,9}))?$/;

function parseRun(input: unknown): string | undefined {
  return typeof input === 'string' && /^[0-9a-f]{32}$/.test(input) ? input : undefined;
}

function parseStoredFiles(input: unknown): StoredFile[] | undefined {
  if (!Array.isArray(input)) return undefined;
  const files: StoredFile[] = [];
  for (const item of input) {
    const file = parseStoredFile(item);
    if (!file) return undefined;
    files.push(file);
  }
  return files;
}

export function parseStoredFile(input: unknown): StoredFile | undefined {
  if (!isRecord(input)) return undefined;
  const { path, text, mediaType, code, module } = input;
  if (typeof path !== 'string' || typeof text !== 'string' || typeof mediaType !== 'string')
    return undefined;
  if (!isTextOrNull(code) || !isTextOrNull(module)) return undefined;
  return { path, text, mediaType, code, module };
}

function isTextOrNull(input: unknown): input is string | null {
  return typeof input === 'string' || input === null;
}

function parseTexts(input: unknown): string[] | undefined {
  if (!Array.isArray(input)) return undefined;
  return input.every((item) => typeof item === 'string') ? input : undefined;
}

function parseText(input: unknown): string | undefined {
  return typeof input === 'string' && input.length <= textLimit ? input : undefined;
}
