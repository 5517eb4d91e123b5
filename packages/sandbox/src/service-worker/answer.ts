import { instrumentHtml } from '@vitrine/compiler';
import { documentHeaders, fileHeaders } from '../headers.ts';
import { absentPage } from '../absent-page.ts';
import { findFilePath } from '../file-addresses.ts';
import { findForm, formText, formType, takeDestination, withDestination } from '../file-forms.ts';
import { findStamp } from '../hot-messages.ts';
import { pageParameter, parseRunParameter, runParameter, type InlinedFile } from '../protocol.ts';
import { instrumentWorker, isWorkerDestination } from '../worker-prefix.ts';
import type { Rules } from './rules.ts';
import type { Run, RunFile, Runs } from './runs.ts';
import { findDetour } from './visits.ts';

/** Given by the server with this script. */
declare const APP_ORIGINS: readonly string[];
/** Address of the frame's script; it holds the script's hash, so it may be cached for good. */
declare const FRAME_SCRIPT: string;
/** Likewise, of the script that workers run first. */
declare const WORKER_SCRIPT: string;

interface Known {
  runs: Runs;
  rules: Rules;
  clients: Clients;
}

/**
 * Whether it is certain already, without a wait, that this request is the server's to answer. The
 * browser then asks for itself, in a request that says what the answer is for.
 */
export function isForServer(event: FetchEvent, address: URL, { runs, rules }: Known): boolean {
  const { request } = event;
  if (!rules.knowsNone() || findVersion(request, address) !== null) return false;
  if (runs.knowsNone()) return true;
  // It may have to be led to the app.
  if (request.destination === 'document') return false;
  const isNavigation = request.mode === 'navigate';
  const run = isNavigation ? findNamedRun(address) : runOfClient.get(event.clientId);
  if (run === undefined || runs.has(run) !== false) return false;
  if (isNavigation) event.waitUntil(runs.open(run));
  remember(event.resultingClientId, run);
  return true;
}

/**
 * Answers from the files of the run that this request belongs to; without one, as the server does.
 * Rules hold up what a page asks for, never the page itself: its host waits for that.
 */
export async function answer(
  event: FetchEvent,
  address: URL,
  { runs, rules, clients }: Known,
): Promise<Response> {
  const detour = await findDetour(event.request, clients);
  if (detour !== undefined) return Response.redirect(detour);
  const { method, mode } = event.request;
  const isNavigation = mode === 'navigate';
  const named = isNavigation
    ? findNamedRun(address)
    : await findRunOfClient(event.clientId, clients);
  if (isNavigation && named !== undefined) event.waitUntil(runs.open(named));
  const id = named ?? (await runs.findLatest());
  if (id !== undefined) remember(event.resultingClientId, id);
  const version = findVersion(event.request, address);
  const run = id === undefined ? undefined : await runs.find(id, version);
  if (!isNavigation && !rules.knowsNone()) {
    const ruled = await rules.apply(id, address);
    if (ruled) return ruled;
  }
  // A form that is sent shows the page it is sent to: nobody is here to take it in.
  const isRead = method === 'GET' || method === 'HEAD' || isNavigation;
  if (run && isRead) return respond(run, address, event.request);
  // What the app has sent is not here any more. It sends all of it when it hears that.
  if (isNavigation && version !== null) return respondAbsent(address, true);
  return askServer(event.request, address);
}

/**
 * A request of a worker's own does not say what its answer is for, on which the form of a file
 * depends: so the address does. That of a visit says that it is one.
 */
async function askServer(request: Request, address: URL): Promise<Response> {
  const { method, mode, destination } = request;
  if (mode === 'navigate' || (method !== 'GET' && method !== 'HEAD')) return fetch(request);
  const named = new URL(address);
  named.search = withDestination(address.search, destination);
  const response = await fetch(new Request(named, request));
  // Without the address, which a module would know itself by.
  return new Response(response.body, response);
}

/** The version of its run that a page or a new module is asked for in; null where none is named. */
export function findVersion({ mode, destination }: Request, address: URL): number | null {
  if (mode === 'navigate')
    return parseRunParameter(address.searchParams.get(runParameter))?.version ?? null;
  return destination === 'script' ? (findStamp(address.search) ?? null) : null;
}

/**
 * What a page loads belongs to the run that the page was opened with: its address as created still
 * says it, though the page no longer shows it. A worker is of the run of the page that started it.
 */
async function findRunOfClient(id: string, clients: Clients): Promise<string | undefined> {
  const remembered = runOfClient.get(id);
  if (remembered !== undefined) return remembered;
  const client = await clients.get(id);
  return client && findNamedRun(new URL(client.url));
}

/** Runs of the latest pages, by client: asking the browser for a client takes milliseconds. */
const runOfClient = new Map<string, string>();
const rememberedClients = 100;

function remember(client: string, run: string): void {
  if (client === '') return;
  runOfClient.set(client, run);
  const [oldest] = runOfClient.keys();
  if (runOfClient.size > rememberedClients && oldest !== undefined) runOfClient.delete(oldest);
}

function findNamedRun(address: URL): string | undefined {
  return parseRunParameter(address.searchParams.get(runParameter))?.run;
}

function respond(run: Run, address: URL, request: Request): Response {
  const isNavigation = request.mode === 'navigate';
  const isThere = (candidate: string) => run.files.has(candidate);
  const path =
    findFilePath(address.pathname, isThere) ??
    (isNavigation ? findMadeFrom(address, isThere) : undefined);
  const file = path === undefined ? undefined : run.files.get(path);
  if (path === undefined || !file) return respondAbsent(address, isNavigation);
  const { query, destination } = takeDestination(address.search);
  const wanted = destination ?? request.destination;
  const form = findForm(path, { query, destination: wanted });
  const made = formText(path, file, form);
  const isOfWorker = form === 'script' && isWorkerDestination(wanted);
  const text = isOfWorker ? instrumentWorker(made, WORKER_SCRIPT) : made;
  if (form !== 'page')
    return new Response(text, { headers: fileHeaders(formType(path, form), APP_ORIGINS) });
  const files = needsFiles(run) ? JSON.stringify(listFiles(run)) : undefined;
  const data = {
    run: run.id,
    version: run.version,
    path,
    ...(files !== undefined && { files }),
  };
  const html = instrumentHtml(text, { src: FRAME_SCRIPT, data });
  return new Response(html, { headers: documentHeaders(APP_ORIGINS) });
}

/**
 * Whether something in the run may ask for files past this worker: by a synchronous XMLHttpRequest, by
 * `<object>` or `<embed>`. Its pages then get the files along (frame/own-files.ts).
 */
function needsFiles({ files }: Run): boolean {
  return [...files.values()].some((file) => {
    let asks = asksPast.get(file);
    if (asks === undefined) {
      asks = wordsPast.test(file.text);
      asksPast.set(file, asks);
    }
    return asks;
  });
}

const asksPast = new WeakMap<RunFile, boolean>();
const wordsPast =
  /XMLHttpRequest|\basync\s*:\s*(?:false|0|!1)|<(?:object|embed)\b|["'`](?:object|embed)["'`]/i;

function listFiles({ files }: Run): InlinedFile[] {
  return Array.from(files.values(), ({ path, text, mediaType }) => [path, text, mediaType]);
}

/** Of a page that is loaded again at an address which its own script has made up. */
function findMadeFrom(address: URL, isThere: (path: string) => boolean): string | undefined {
  const path = address.searchParams.get(pageParameter);
  return path !== null && isThere(path) ? path : undefined;
}

function respondAbsent(address: URL, isNavigation: boolean): Response {
  const page = absentPage(address.pathname, FRAME_SCRIPT);
  return isNavigation
    ? new Response(page, { status: 404, headers: documentHeaders(APP_ORIGINS) })
    : new Response(`Can’t find ${address.pathname} in this project.\n`, {
        status: 404,
        headers: fileHeaders('text/plain; charset=utf-8', APP_ORIGINS),
      });
}
