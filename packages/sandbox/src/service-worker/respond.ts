import { instrumentHtml } from '@vitrine/compiler';
import { createBlobResponse } from '../byte-range.ts';
import { documentHeaders, fileHeaders, pagePermissionsPolicy } from '../headers.ts';
import { notFoundPage } from '../not-found-page.ts';
import { respondBootPage } from '../start-page.ts';
import { findFilePath } from '../file-urls.ts';
import {
  chooseOutput,
  isServedAsIs,
  outputText,
  outputMediaType,
  splitDestination,
  withDestination,
} from '../file-outputs.ts';
import { findVersionQuery } from '../hot-messages.ts';
import { pageParameter, parseRunParameter, runParameter, type InlinedFile } from '../protocol.ts';
import { instrumentWorkerScript, isWorkerDestination } from '../worker-prefix.ts';
import type { NetworkRuleStore } from './network-rule-store.ts';
import type { StoredRun, StoredRunFile, RunStore } from './run-store.ts';

/** Origins of the app; inserted by the server. */
declare const APP_ORIGINS: readonly string[];
/** URL of the frame's script. It contains the script's hash, so the script may be cached forever. */
declare const FRAME_SCRIPT: string;
/** URL of the script that workers run first, with its hash; inserted by the server. */
declare const WORKER_SCRIPT: string;

interface WorkerState {
  runs: RunStore;
  rules: NetworkRuleStore;
  clients: Clients;
}

/** Whether a request opens the page that hands the files to this service worker. */
export function isBootPage({ mode }: Request, { pathname }: URL): boolean {
  return mode === 'navigate' && pathname === '/__vitrine/boot';
}

/**
 * Responds with the server's boot page, which belongs to the newest build. Without a connection, this
 * build's page does, so that a project can be run again; its script is in the browser's cache.
 */
export async function respondToBoot(request: Request): Promise<Response> {
  try {
    return await fetch(request);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return respondBootPage(FRAME_SCRIPT, APP_ORIGINS);
  }
}

/**
 * Whether the server has to respond to a request, as far as that is known synchronously. The browser then sends the
 * request itself, with its destination.
 */
export function isServerRequest(
  event: FetchEvent,
  url: URL,
  { runs, rules }: WorkerState,
): boolean {
  const { request } = event;
  if (!rules.isEmpty() || findRequestedVersion(request, url) !== null) return false;
  if (runs.isEmpty()) return true;
  // A page opened in a tab may have to be redirected to the app.
  if (request.destination === 'document') return false;
  const isNavigation = request.mode === 'navigate';
  const run = isNavigation ? findNamedRun(url) : runOfClient.get(event.clientId);
  if (run === undefined || runs.has(run) !== false) return false;
  if (isNavigation) event.waitUntil(runs.open(run));
  remember(event.resultingClientId, run);
  return true;
}

/**
 * Responds with a file of the run that a request belongs to, or with the server's response if there is no run.
 * Network rules apply to requests of a page, never to the page itself, because its host waits for it.
 */
export async function respondToFetch(
  event: FetchEvent,
  url: URL,
  { runs, rules, clients }: WorkerState,
): Promise<Response> {
  const redirectUrl = await findVisitRedirect(event.request, clients);
  if (redirectUrl !== undefined) return Response.redirect(redirectUrl);
  const { method, mode } = event.request;
  const isNavigation = mode === 'navigate';
  const namedRun = isNavigation
    ? findNamedRun(url)
    : await findRunOfClient(event.clientId, clients);
  if (isNavigation && namedRun !== undefined) event.waitUntil(runs.open(namedRun));
  const id = namedRun ?? (await runs.findLatest());
  if (id !== undefined) remember(event.resultingClientId, id);
  const version = findRequestedVersion(event.request, url);
  const run = id === undefined ? undefined : await runs.find(id, version);
  if (!isNavigation && !rules.isEmpty()) {
    const overridden = await rules.apply(id, url);
    if (overridden) return overridden;
  }
  // A form submission shows the target page; there is no server that could process it.
  const isRead = method === 'GET' || method === 'HEAD' || isNavigation;
  if (run && isRead) return respond(run, url, event.request);
  // The app's files are gone. The 404 page's hello makes the app send all of them.
  if (isNavigation && version !== null) return respondAbsent(url, true, []);
  return fetchFromServer(event.request, url);
}

/**
 * Finds the redirect of a visit that opens a live copy in a tab while no page of the app shows it: to the app, which
 * says whose project it is. Undefined for any other request. SB-17
 */
async function findVisitRedirect(
  { mode, destination }: Request,
  clients: Clients,
): Promise<string | undefined> {
  if (mode !== 'navigate' || destination !== 'document') return undefined;
  const windows = await clients.matchAll({ type: 'window', includeUncontrolled: true });
  const isOpenInApp = windows.some(({ frameType }) => frameType === 'nested');
  return isOpenInApp ? undefined : appUrl(location.hostname);
}

/** URL in the app: "draft--abc.…" → the draft, "edit--abc.…" → the project, "tests--abc.…" → the home page. */
function appUrl(hostname: string): string {
  const [, kind, name = ''] = /^(draft|edit)--([a-z0-9]+)\./.exec(hostname) ?? [];
  const path = kind === 'draft' ? `/draft/${name}` : kind === 'edit' ? `/p/${name}` : '/';
  return `${APP_ORIGINS[0] ?? ''}${path}`;
}

/**
 * Passes a request on to the server. A request that a service worker makes has no destination, which the file's
 * response depends on, so it is added to the URL. Navigations keep their destination.
 */
async function fetchFromServer(request: Request, url: URL): Promise<Response> {
  const { method, mode, destination } = request;
  if (mode === 'navigate') return withPermissionsPolicy(await fetch(request), destination);
  if (method !== 'GET' && method !== 'HEAD') return fetch(request);
  const urlWithDestination = new URL(url);
  urlWithDestination.search = withDestination(url.search, destination);
  const response = await fetch(new Request(urlWithDestination, request));
  // Without the URL, which a module would see as its own.
  return new Response(response.body, response);
}

/** The server doesn't see the destination of a navigation that a service worker passes on. */
function withPermissionsPolicy(response: Response, destination: RequestDestination): Response {
  // A redirect is opaque and can't be copied.
  if (response.type !== 'basic') return response;
  const copy = new Response(response.body, response);
  copy.headers.set('Permissions-Policy', pagePermissionsPolicy(destination));
  return copy;
}

/** Version that a page or a module with a version query is requested in; null if none. */
function findRequestedVersion({ mode, destination }: Request, url: URL): number | null {
  if (mode === 'navigate')
    return parseRunParameter(url.searchParams.get(runParameter))?.version ?? null;
  return destination === 'script' ? (findVersionQuery(url.search) ?? null) : null;
}

/**
 * Finds the run of a client. A page belongs to the run that it was opened with: its creation URL still has the
 * parameter, even though the page no longer shows it. A worker belongs to the run of its page.
 */
async function findRunOfClient(id: string, clients: Clients): Promise<string | undefined> {
  const remembered = runOfClient.get(id);
  if (remembered !== undefined) return remembered;
  const client = await clients.get(id);
  return client && findNamedRun(new URL(client.url));
}

/** Run of recent clients, because asking the browser for a client takes milliseconds. */
const runOfClient = new Map<string, string>();
const maxClients = 100;

function remember(client: string, run: string): void {
  if (client === '') return;
  runOfClient.set(client, run);
  const [oldest] = runOfClient.keys();
  if (runOfClient.size > maxClients && oldest !== undefined) runOfClient.delete(oldest);
}

function findNamedRun(url: URL): string | undefined {
  return parseRunParameter(url.searchParams.get(runParameter))?.run;
}

function respond(run: StoredRun, url: URL, request: Request): Response {
  const isNavigation = request.mode === 'navigate';
  const exists = (candidate: string) => run.files.has(candidate);
  const path =
    findFilePath(url.pathname, exists) ?? (isNavigation ? findPageFile(url, exists) : undefined);
  const file = path === undefined ? undefined : run.files.get(path);
  if (path === undefined || !file) return respondAbsent(url, isNavigation, [...run.files.keys()]);
  const { query, destination } = splitDestination(url.search);
  const requestDestination = destination ?? request.destination;
  const outputKind = chooseOutput(path, { query, destination: requestDestination });
  const output = outputText(path, file, outputKind);
  const isWorkerScript = outputKind === 'script' && isWorkerDestination(requestDestination);
  const text = isWorkerScript ? instrumentWorkerScript(output, WORKER_SCRIPT) : output;
  if (file.bytes && isServedAsIs(outputKind))
    return createBlobResponse(
      request.headers,
      file.bytes,
      fileHeaders(file.mediaType, APP_ORIGINS),
    );
  if (outputKind !== 'page')
    return new Response(text, {
      headers: fileHeaders(outputMediaType(path, outputKind), APP_ORIGINS),
    });
  const files = needsFiles(run) ? JSON.stringify(listFiles(run)) : undefined;
  const data = {
    run: run.id,
    version: run.version,
    path,
    ...(files !== undefined && { files }),
  };
  const html = instrumentHtml(text, { src: FRAME_SCRIPT, data });
  const headers = {
    ...documentHeaders(APP_ORIGINS),
    'Permissions-Policy': pagePermissionsPolicy(request.destination),
  };
  return new Response(html, { headers });
}

/**
 * Whether a run may request files in ways that bypass the service worker: a synchronous XMLHttpRequest, `<object>`
 * or `<embed>`. Its pages then contain the files (frame/embedded-files.ts).
 */
function needsFiles({ files }: StoredRun): boolean {
  return [...files.values()].some((file) => {
    let mayBypass = bypasses.get(file);
    if (mayBypass === undefined) {
      mayBypass = bypassPattern.test(file.text);
      bypasses.set(file, mayBypass);
    }
    return mayBypass;
  });
}

const bypasses = new WeakMap<StoredRunFile, boolean>();
const bypassPattern =
  /XMLHttpRequest|\basync\s*:\s*(?:false|0|!1)|<(?:object|embed)\b|["'`](?:object|embed)["'`]/i;

function listFiles({ files }: StoredRun): InlinedFile[] {
  // Bytes can't be embedded in a page.
  const texts = [...files.values()].filter(({ bytes }) => bytes === null);
  return texts.map(({ path, text, mediaType }) => [path, text, mediaType]);
}

/** File of a page that is reloaded at a URL that its own script has made up. */
function findPageFile(url: URL, exists: (path: string) => boolean): string | undefined {
  const path = url.searchParams.get(pageParameter);
  return path !== null && exists(path) ? path : undefined;
}

function respondAbsent(url: URL, isNavigation: boolean, paths: readonly string[]): Response {
  const page = notFoundPage(url.pathname, FRAME_SCRIPT, paths);
  return isNavigation
    ? new Response(page, { status: 404, headers: documentHeaders(APP_ORIGINS) })
    : new Response(`Can’t find ${url.pathname} in this project.\n`, {
        status: 404,
        headers: fileHeaders('text/plain; charset=utf-8', APP_ORIGINS),
      });
}
