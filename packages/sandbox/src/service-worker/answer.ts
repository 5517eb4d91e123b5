import { instrumentHtml } from '@vitrine/compiler';
import { documentHeaders, fileHeaders } from '../headers.ts';
import { absentPage } from '../absent-page.ts';
import { findFilePath } from '../file-addresses.ts';
import { findForm, formText, formType } from '../file-forms.ts';
import { findStamp } from '../hot-messages.ts';
import { pageParameter, parseRunParameter, runParameter } from '../protocol.ts';
import type { Rules } from './rules.ts';
import type { Run, Runs } from './runs.ts';
import { findDetour } from './visits.ts';

/** Given by the server with this script. */
declare const APP_ORIGINS: readonly string[];
/** Address of the frame's script; it holds the script's hash, so it may be cached for good. */
declare const FRAME_SCRIPT: string;

interface Known {
  runs: Runs;
  rules: Rules;
  clients: Clients;
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
  const run = await findRun(event, address, runs, clients);
  const { method, mode } = event.request;
  if (mode !== 'navigate' && !rules.knowsNone()) {
    const owner = run?.id ?? (await findRunOfClient(event.clientId, clients));
    const ruled = await rules.apply(owner, address);
    if (ruled) return ruled;
  }
  // A form that is sent shows the page it is sent to: nobody is here to take it in.
  const isRead = method === 'GET' || method === 'HEAD' || mode === 'navigate';
  if (!run || !isRead) return fetch(event.request);
  return respond(run, address, event.request);
}

/**
 * A navigation by the app names its run (P-11). What a page loads belongs to the run that the page
 * was opened with: its address as created still says it, though the page no longer shows it.
 */
async function findRun(
  event: FetchEvent,
  address: URL,
  runs: Runs,
  clients: Clients,
): Promise<Run | undefined> {
  const version = findVersion(event.request, address);
  if (event.request.mode === 'navigate') {
    const named = findNamedRun(address);
    const run = await (named ? runs.find(named, version) : runs.findLatest());
    if (run) remember(event.resultingClientId, run.id);
    return run;
  }
  const opened = await findRunOfClient(event.clientId, clients);
  return opened ? runs.find(opened, version) : runs.findLatest();
}

/** The version of its run that a page or a new module is asked for in; null where none is named. */
export function findVersion({ mode, destination }: Request, address: URL): number | null {
  if (mode === 'navigate')
    return parseRunParameter(address.searchParams.get(runParameter))?.version ?? null;
  return destination === 'script' ? (findStamp(address.search) ?? null) : null;
}

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
  const { destination } = request;
  const form = findForm(path, { query: address.search, destination });
  const text = formText(path, file, form);
  if (form !== 'page')
    return new Response(text, { headers: fileHeaders(formType(path, form), APP_ORIGINS) });
  const data = { run: run.id, version: run.version, path };
  const html = instrumentHtml(text, { src: FRAME_SCRIPT, data });
  return new Response(html, { headers: documentHeaders(APP_ORIGINS) });
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
    : new Response(`There is no file ${address.pathname} in this project.\n`, {
        status: 404,
        headers: fileHeaders('text/plain; charset=utf-8', APP_ORIGINS),
      });
}
