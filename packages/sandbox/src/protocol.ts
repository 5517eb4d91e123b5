/**
 * Messages between the app's page (host), a preview (frame) and the service worker of a live copy.
 * docs/protocol.md has the rules; their ids (P-…) stand next to what they apply to.
 *
 *     host  ←─ hello, with a port ──  frame ──── store, forget ───→  service worker
 *     host  ←──── port: FromFrame ──  frame
 *     host  ── port: ToFrame ──────→  frame
 *     host  ←───── port that came along with a store: StoreResponse ───────────┘
 *
 * User code shares the frame's realm, so it can forge every message of a frame or a service worker. The
 * host parses them with the functions below, and no message may cause a write (P-09).
 */
import { isRecord } from '@vitrine/project';
import {
  parseAddressMessage,
  type AddressMessage,
  type NavigationRequest,
} from './address-messages.ts';
import {
  parseConsoleResponse,
  type ConsoleResponse,
  type ConsoleRequest,
} from './console-messages.ts';
import { parseConsoleValues, parseCount, type ConsoleValue } from './console-values.ts';
import type { ToDevtools } from './devtools-messages.ts';
import { parseInvalidMessage, type HotMessage, type InvalidMessage } from './hot-messages.ts';
import type { InlinedFile, SourceLocation } from './message-parts.ts';
import { parseRules, type NetworkRule } from './network-rules.ts';
import { parseRuntimeError, type FrameProblem } from './runtime-error-messages.ts';
import { parseTestEvent, type TestEvent, type TestRequest } from './test-messages.ts';
import {
  findToolName,
  parseToolMessage,
  type ToolName,
  type ToolMessage,
  type ToTool,
} from './tool-messages.ts';

export type { InlinedFile, SourceLocation } from './message-parts.ts';

/** Incremented when a message changes its meaning; frames of another version are ignored. */
export const protocolVersion = 2;

/**
 * Incremented when responses or stored files of older service workers become unusable. It is part of the
 * script's URL, so that a page can tell from its controller whether an older one has served it.
 */
export const serviceWorkerVersion = 5;

/**
 * Query parameter of the URLs that hosts open: the run's id, the tools that the document loads, the version
 * that it must have (P-17), and the scroll position: `ID`, `ID~network`, `ID@3`, `ID@3.X.Y`.
 */
export const runParameter = '__vitrine';

/** Query parameter with the file that a page was made from, for URLs that its script may have made up. */
export const pageParameter = '__vitrine-page';

export interface RunParameter {
  run: string;
  tools: ToolName[];
  version: number | null;
  scroll: [x: number, y: number] | null;
}

/** Source of a document. */
export type DocumentSource =
  /** Empty page that waits for files. */
  | { kind: 'boot' }
  /** Page of the srcdoc transport, waiting for a document to write. */
  | { kind: 'srcdoc' }
  /** Test page, waiting for a file to run. */
  | { kind: 'tests' }
  /** DevTools front end, waiting for a page to inspect. */
  | { kind: 'devtools' }
  /** File of a saved project, served by the server. */
  | { kind: 'saved'; revision: number }
  /** File sent by a host, served by the service worker. */
  | { kind: 'run'; run: string; version: number }
  /** 404 page. */
  | { kind: 'absent' };

/** frame → host, by `postMessage` to the app's exact origin, with one port. The first message of a document. P-01 */
export interface Hello {
  vitrine: 'hello';
  protocol: typeof protocolVersion;
  shown: DocumentSource;
  /** Path of the document's file, `index.html`; for the 404 page, the path of the requested URL. */
  path: string;
}

/** host → frame, over the port. */
export type ToFrame =
  /** Respond with a pong. P-20 */
  | { type: 'ping'; count: number }
  /** The frame is about to be removed: `beforeunload` handlers must not prompt. P-21 */
  | { type: 'closing' }
  /** Register the service worker in the background. */
  | { type: 'install' }
  /** Pass this message to the service worker, with the port that comes along. */
  | { type: 'relay'; message: ToServiceWorker }
  | ShowMessage
  /** Replace the text of stylesheets. The outcome is `unused` unless each one except `parts` is linked. */
  | { type: 'style'; styles: [path: string, text: string][]; parts: string[]; version: number }
  /** Patch the HTML to this text, or reload if a script could tell the difference. */
  | { type: 'document'; before: string; text: string; version: number }
  /** Request of the console; the response has the same id. P-24 */
  | { type: 'console-request'; id: number; request: ConsoleRequest }
  | HotMessage
  /** srcdoc transport: become this document. Sent once. */
  | { type: 'write'; project: SrcdocProject }
  | NavigationRequest
  | { type: 'tool'; message: ToTool }
  /** Test page: run this file. Sent once. */
  | { type: 'test'; test: TestRequest }
  /** DevTools front end. */
  | { type: 'devtools'; message: ToDevtools };

/**
 * Navigate to a page of the run or, for null, reload the current page and restore its scroll position.
 * Skipped if the document never requested any of the files in `unlessUnused`.
 */
export interface ShowMessage {
  type: 'show';
  run: string;
  path: string | null;
  version: number;
  unlessUnused: string[] | null;
}

/** A project without URLs: texts refer to each other as `vitrine-file:PATH` (inline-project.ts in the compiler). */
export interface SrcdocProject {
  /** Path of the document. */
  path: string;
  html: string;
  /** Length of the part of `html` that ends with our import map; 0 if there is none. */
  mapEnd: number;
  /** Sorted so that each file refers only to earlier ones. */
  files: InlinedFile[];
  scroll: [x: number, y: number];
  /** URL fragment: "#top" or "". */
  hash: string;
}

/** frame → host, over the port. */
export type FromFrame =
  | { type: 'pong'; count: number }
  /** The document is parsed and its first frame painted. */
  | { type: 'painted' }
  /** The document is about to unload. */
  | { type: 'unloading' }
  /** Outcome of a `style`, `document`, `hot` or `show` message. */
  | { type: 'applied'; version: number; outcome: UpdateOutcome }
  | InvalidMessage
  | { type: 'console'; entry: ConsoleEntry }
  /** Number of log entries dropped because there were too many. P-22 */
  | { type: 'dropped'; count: number }
  | { type: 'console-response'; id: number; response: ConsoleResponse }
  | { type: 'problem'; problem: FrameProblem }
  /** A rejection that was reported as unhandled was handled later. P-23 */
  | { type: 'rejection-handled'; rejection: number }
  /** The document was changed in place and no longer requests these URLs, written so, that failed to load. P-23 */
  | { type: 'load-errors-withdrawn'; addresses: string[] }
  /** srcdoc transport: the user followed a link to another page of the project. */
  | { type: 'visit'; path: string; hash: string }
  /** srcdoc transport: scroll position, for the frame that replaces this one. */
  | { type: 'scrolled'; x: number; y: number }
  /** A modal dialog (alert, confirm, prompt, print) opened or closed; while open, the page can't respond. */
  | { type: 'dialog'; open: boolean }
  /** Test page: progress of the file. */
  | { type: 'tests'; event: TestEvent }
  /** The browser doesn’t allow service workers here. */
  | { type: 'service-worker-unavailable' }
  /** DevTools front end: reload the inspected page. */
  | { type: 'reload-page' }
  | AddressMessage
  | ToolMessage;

/** `failed`: a new module threw; the error was reported as a problem. */
export type UpdateOutcome = (typeof outcomes)[number];
const outcomes = ['done', 'unused', 'reload', 'failed'] as const;

export type ConsoleMethod = (typeof consoleMethods)[number];
const consoleMethods = [
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

/** A log entry with the location of the call, in the code that runs; the host maps it to the source. */
export interface ConsoleEntry extends SourceLocation {
  method: ConsoleMethod;
  values: ConsoleValue[];
  /** Milliseconds since the epoch. */
  time: number;
  /** Name of the frame or worker that logged it; left out for the page itself. */
  realm?: string;
  /** Number of the rejection that it reports; `rejection-handled` refers to it. */
  rejection?: number;
  /** Set if it reports an error that nothing caught. */
  isUncaught?: true;
}

/** A file with its compiled output. */
export interface StoredFile {
  path: string;
  /** '' for an asset that isn't text. */
  text: string;
  /** Bytes of an asset; null for a text file. */
  bytes: Blob | null;
  mediaType: string;
  /** Compiled code that runs; null if the text itself runs. */
  code: string | null;
  /** Module for scripts that import it; null if it is made from the text. */
  module: string | null;
}

/** frame → service worker. */
export type ToServiceWorker =
  /** Store these files for a run. `base` is the version that they change; null for a complete set. P-12 */
  | {
      type: 'store';
      run: string;
      base: number | null;
      version: number;
      files: StoredFile[];
      removed: string[];
    }
  | { type: 'forget'; run: string }
  /** Delay or fail same-origin requests of this run's documents. */
  | { type: 'rules'; run: string; rules: NetworkRule[] };

/** service worker → host, over the port that came with the store. */
export type StoreResponse =
  | { type: 'stored'; version: number }
  /** The service worker doesn't hold the base version: send a complete set. */
  | { type: 'base-unknown' };

const textLimit = 10_000;

export function parseHello(input: unknown): Hello | undefined {
  if (!isRecord(input) || input['vitrine'] !== 'hello') return undefined;
  if (input['protocol'] !== protocolVersion) return undefined;
  const shown = parseDocumentSource(input['shown']);
  const path = parseText(input['path']);
  if (!shown || path === undefined) return undefined;
  return { vitrine: 'hello', protocol: protocolVersion, shown, path };
}

function parseDocumentSource(input: unknown): DocumentSource | undefined {
  if (!isRecord(input)) return undefined;
  switch (input['kind']) {
    case 'boot':
    case 'srcdoc':
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
    case 'unloading':
    case 'service-worker-unavailable':
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
    case 'load-errors-withdrawn': {
      const addresses = parseTexts(input['addresses']);
      return addresses && { type: 'load-errors-withdrawn', addresses };
    }
    case 'applied':
      return parseApplied(input);
    case 'invalid':
      return parseInvalidMessage(input);
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
    case 'console-response': {
      const [id, response] = [parseCount(input['id']), parseConsoleResponse(input['response'])];
      return id === undefined || !response ? undefined : { type: 'console-response', id, response };
    }
    case 'problem': {
      const error = input['problem'];
      const location = isRecord(error) ? parseLocation(error) : undefined;
      const problem = parseRuntimeError(error, location);
      return problem && { type: 'problem', problem };
    }
    case 'tests': {
      const event = parseTestEvent(input['event']);
      return event && { type: 'tests', event };
    }
    default:
      return parseAddressMessage(input) ?? parseToolMessage(input);
  }
}

function parseApplied(input: Record<string, unknown>): FromFrame | undefined {
  const version = parseCount(input['version']);
  const outcome = outcomes.find((name) => name === input['outcome']);
  if (version === undefined || outcome === undefined) return undefined;
  return { type: 'applied', version, outcome };
}

/** Parses a log entry; undefined unless all of it is valid. */
function parseConsoleEntry(input: unknown): ConsoleEntry | undefined {
  if (!isRecord(input)) return undefined;
  const method = consoleMethods.find((name) => name === input['method']);
  const values = parseConsoleValues(input['values']);
  const time = typeof input['time'] === 'number' ? input['time'] : Number.NaN;
  const location = parseLocation(input);
  if (!method || !values || !Number.isFinite(time) || !location) return undefined;
  const rejection = parseCount(input['rejection']);
  const realm = parseText(input['realm'])?.slice(0, 200);
  return {
    method,
    values,
    time,
    ...location,
    ...(rejection !== undefined && { rejection }),
    ...(realm !== undefined && { realm }),
    ...(input['isUncaught'] === true && { isUncaught: true }),
  };
}

function parseLocation(input: Record<string, unknown>): SourceLocation | undefined {
  const path = parseText(input['path']);
  const line = parseCount(input['line']);
  const column = parseCount(input['column']);
  if (path === undefined || line === undefined || column === undefined) return undefined;
  return { path, line, column };
}

/** User code can post to the service worker too, but only files for its own origin. */
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
  const removed = parseStrings(input['removed']);
  if (base === undefined || version === undefined || !files || !removed) return undefined;
  return { type: 'store', run, base, version, files, removed };
}

export function parseStoreResponse(input: unknown): StoreResponse | undefined {
  if (!isRecord(input)) return undefined;
  if (input['type'] === 'base-unknown') return { type: 'base-unknown' };
  const version = parseCount(input['version']);
  return input['type'] === 'stored' && version !== undefined
    ? { type: 'stored', version }
    : undefined;
}

/** Parses the value of the run parameter; undefined if it isn't valid. */
export function parseRunParameter(value: string | null): RunParameter | undefined {
  const [, run, tools = '', version, x, y] = runParameterPattern.exec(value ?? '') ?? [];
  if (run === undefined) return undefined;
  const named = tools.split('~').map(findToolName);
  return {
    run,
    tools: named.filter((tool) => tool !== undefined),
    version: version === undefined ? null : Number(version),
    scroll: x === undefined ? null : [Number(x), Number(y)],
  };
}

const runParameterPattern =
  /^([0-9a-f]{32})((?:~[a-z-]{1,20})*)(?:@(\d{1,9}))?(?:\.(\d{1,9})\.(\d{1,9}))?$/;

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
  const bytes = input['bytes'] instanceof Blob ? input['bytes'] : null;
  return { path, text, bytes, mediaType, code, module };
}

function isTextOrNull(input: unknown): input is string | null {
  return typeof input === 'string' || input === null;
}

function parseStrings(input: unknown): string[] | undefined {
  if (!Array.isArray(input)) return undefined;
  return input.every((item) => typeof item === 'string') ? input : undefined;
}

function parseTexts(input: unknown): string[] | undefined {
  if (!Array.isArray(input) || input.length > 100) return undefined;
  const texts = input.map((text: unknown) => parseText(text));
  return texts.every((text) => text !== undefined) ? texts : undefined;
}

function parseText(input: unknown): string | undefined {
  return typeof input === 'string' && input.length <= textLimit ? input : undefined;
}
