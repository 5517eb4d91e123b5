import { resolveSameOrigin } from '@vitrine/project';
import { decodeJwt, errors } from 'jose';
import { absentPage } from '../absent-page.ts';
import { findFilePath } from '../file-addresses.ts';
import { takeDestination, type FormRequest } from '../file-forms.ts';
import { documentHeaders, fileHeaders } from '../headers.ts';
import { runParameter } from '../protocol.ts';
import { createCompilePool, type CompileClient } from './compile-pool.ts';
import { CompileError, type CompileErrorCode } from './compile-worker.ts';
import { createCompiledFiles, type CompiledFiles, type ServedProject } from './compiled-files.ts';
import { createDevtoolsFiles, devtoolsPath, type DevtoolsFiles } from './devtools-files.ts';
import { devtoolsPage } from './devtools-page.ts';
import { doorPage, isVisitFromElsewhere } from './door-page.ts';
import { createEntryTokens, type Entry, type EntryTokens } from './entry-tokens.ts';
import { answerFile, answerMap, type FileContext } from './file-answers.ts';
import { bootPage, portablePage, testsPage } from './own-pages.ts';
import { findPreviewKey, type PreviewKey } from './preview-hosts.ts';
import {
  createRecentProjects,
  type RecentProjects,
  type WantedProject,
} from './recent-projects.ts';
import { buildScripts, type PreviewScripts } from './scripts.ts';
import { buildTestScripts, testScriptsPath, type TestScripts } from './test-scripts.ts';

export interface PreviewServerOptions {
  /** The origins whose pages may hold previews. The first one serves packages. */
  appOrigins: string[];
  /** The hosts, with their ports, that previews are subdomains of. */
  hosts: string[];
  /** Encrypts entry tokens and their cookies; the same in every process that answers previews. */
  secret: Uint8Array;
  /** Where built scripts are kept for the next start; without, they are built at every start. */
  scriptsFolder?: string;
  /** A project as that person (or nobody) may read it; undefined where it is not there for them. */
  readProject(wanted: WantedProject): Promise<ServedProject | undefined>;
  compileLimits?: Partial<CompileLimits>;
}

/** Times are in milliseconds. */
export interface CompileLimits {
  /** What a file may take for somebody who is not signed in. */
  anonymousTimeoutMs: number;
  /** What a file may take for a user. The largest file takes about a second. */
  signedInTimeoutMs: number;
  /** What all files together may take for a user or an address, per minute. */
  quotaMs: number;
}

const defaultCompileLimits: CompileLimits = {
  anonymousTimeoutMs: 1_500,
  signedInTimeoutMs: 5_000,
  quotaMs: 30_000,
};

export interface PreviewServer {
  /**
   * The answer to a request for a preview host or to a page of the portable path, else undefined.
   * `address` is the client's, for limits; without it all clients share theirs.
   */
  fetch(request: Request, from?: { readonly address: string }): Promise<Response | undefined>;
  /** An address that opens a private project's preview once, within a minute. */
  mintEntry(entry: Entry): Promise<string>;
  /** Ends the threads that compile. */
  close(): Promise<void>;
}

/** Of scripts whose addresses hold a hash of them. */
const forEver = 'public, max-age=31536000, immutable';
/** Those that are modules can be loaded into a document of no origin. */
const openToAll = { 'Access-Control-Allow-Origin': '*' };
const cookieName = '__Host-vitrine-preview';

/** Answers for previews; builds the scripts that they run. */
export function createPreviewServer(options: PreviewServerOptions): PreviewServer {
  const tokens = createEntryTokens(options.secret);
  // Begun at once: the first preview would wait for them, on a busy machine for seconds.
  const scripts = buildScripts(options.appOrigins, options.scriptsFolder);
  // Each preview that is asked for tells of a failure; until then nobody waits.
  scripts.catch(() => undefined);
  const projects = createRecentProjects((wanted) => options.readProject(wanted));
  let testScripts: Promise<TestScripts> | undefined;
  const limits = { ...defaultCompileLimits, ...options.compileLimits };
  const pool = createCompilePool(limits);
  const compiled = createCompiledFiles(pool, options.appOrigins[0] ?? '');
  const devtools = createDevtoolsFiles(options.appOrigins);
  const context = async (from: { readonly address: string }): Promise<Context> => ({
    options,
    limits,
    address: from.address,
    tokens,
    compiled,
    projects,
    devtools,
    scripts: await scripts,
    findTestScripts: () =>
      (testScripts ??= buildTestScripts(options.appOrigins, options.scriptsFolder)),
  });
  return {
    async fetch(request, from = { address: '' }) {
      const address = new URL(request.url);
      const key = findPreviewKey(address.host, options.hosts);
      if (!key && !isOwnAddress(address.pathname)) return undefined;
      if (request.method !== 'GET' && request.method !== 'HEAD') return refuseMethod(options);
      const response = await answer(request, address, key, await context(from));
      return request.method === 'HEAD' ? new Response(null, response) : response;
    },
    async mintEntry(entry) {
      const token = await tokens.mint(entry);
      return `${entry.origin}/__vitrine/enter?token=${token}`;
    },
    close: () => pool.close(),
  };
}

interface Context {
  options: PreviewServerOptions;
  limits: CompileLimits;
  /** Of the client. */
  address: string;
  tokens: EntryTokens;
  scripts: PreviewScripts;
  findTestScripts(): Promise<TestScripts>;
  compiled: CompiledFiles;
  projects: RecentProjects;
  devtools: DevtoolsFiles;
}

/** Those that hold nothing and run sandboxed are answered on any host, for the portable path. */
function isOwnAddress(pathname: string): boolean {
  return (
    /^\/__vitrine\/(?:portable|portable-tests|devtools|[\w-]+\.js)$/.test(pathname) ||
    pathname.startsWith(testScriptsPath) ||
    pathname.startsWith(devtoolsPath)
  );
}

async function answer(
  request: Request,
  address: URL,
  key: PreviewKey | undefined,
  context: Context,
): Promise<Response> {
  const { appOrigins } = context.options;
  // The browser sends this header with every service worker script, and pages cannot. P-13
  if (request.headers.get('Service-Worker') === 'script' && !isWorkerScript(address, key))
    return plain(403, 'Projects can’t register service workers.\n', appOrigins);
  const own = context.scripts.byPath.get(address.pathname);
  if (own !== undefined) return script(own, appOrigins, forEver, openToAll);
  if (address.pathname === '/__vitrine/portable')
    return portablePage(context.scripts.portableAddress, appOrigins);
  if (address.pathname === '/__vitrine/portable-tests')
    return testsPage('portable', await context.findTestScripts(), appOrigins);
  if (address.pathname.startsWith(testScriptsPath)) return answerTestScript(address, context);
  if (address.pathname === '/__vitrine/devtools')
    return devtoolsPage(address, key, context.scripts.devtoolsAddress, appOrigins);
  if (address.pathname.startsWith(devtoolsPath)) return context.devtools.answer(request, address);
  if (!key) return plain(404, 'Not found.\n', appOrigins);
  return answerPreview(request, address, key, context);
}

/** Documents without an origin import them too. */
async function answerTestScript(address: URL, context: Context): Promise<Response> {
  const { appOrigins } = context.options;
  const { files } = await context.findTestScripts();
  const text = files.get(address.pathname.slice(testScriptsPath.length));
  return text === undefined
    ? plain(404, 'Not found.\n', appOrigins)
    : script(text, appOrigins, forEver, openToAll);
}

function isWorkerScript(address: URL, key: PreviewKey | undefined): boolean {
  const isEdited = key?.kind === 'edit' || key?.kind === 'draft' || key?.kind === 'tests';
  return address.pathname === '/__vitrine/sw.js' && isEdited;
}

async function answerPreview(
  request: Request,
  address: URL,
  key: PreviewKey,
  context: Context,
): Promise<Response> {
  const { appOrigins } = context.options;
  switch (address.pathname) {
    case '/__vitrine/sw.js':
      if (!isWorkerScript(address, key)) break;
      return script(context.scripts.serviceWorker, appOrigins, 'no-cache', {
        'Service-Worker-Allowed': '/',
      });
    case '/__vitrine/boot':
      if (key.kind === 'saved' || key.kind === 'devtools') break;
      return bootPage(context.scripts.frameAddress, appOrigins);
    case '/__vitrine/tests':
      if (key.kind !== 'tests') break;
      return testsPage('served', await context.findTestScripts(), appOrigins);
    case '/__vitrine/enter':
      return enter(address, key, context);
  }
  if (!('slug' in key)) return absent(address, context);
  return answerProject(request, address, key.slug, key.key, context);
}

/** Exchanges a token for the cookie and goes on to the page. P-14 */
async function enter(address: URL, key: PreviewKey, context: Context): Promise<Response> {
  const token = address.searchParams.get('token') ?? '';
  const entry = await context.tokens.exchange(token, key.key, address.origin);
  const headers = new Headers(documentHeaders(context.options.appOrigins, 'same-origin'));
  headers.set('Cache-Control', 'no-store');
  headers.set('Location', pageAfterEntry(address));
  if (entry) headers.set('Set-Cookie', await makeCookie(entry, context.tokens));
  return new Response(null, { status: 303, headers });
}

function pageAfterEntry(address: URL): string {
  const { origin } = address;
  const path = address.searchParams.get('path') ?? '/';
  const page = resolveSameOrigin(path, origin) ?? new URL(origin);
  page.search = '';
  const run = address.searchParams.get(runParameter);
  if (run) page.searchParams.set(runParameter, run);
  return page.href;
}

/** `Partitioned` and `None`, since the frame may be of another site than the page around it. */
async function makeCookie(entry: Entry, tokens: EntryTokens): Promise<string> {
  const seconds = Math.max(0, Math.floor((entry.expiresAt - Date.now()) / 1000));
  const value = await tokens.seal(entry);
  return `${cookieName}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; Secure; SameSite=None; Partitioned`;
}

async function answerProject(
  request: Request,
  address: URL,
  slug: string,
  key: string,
  context: Context,
): Promise<Response> {
  const entry = await findEntry(request, address, key, context.tokens);
  const wanted = entry ? { slug, accessToken: entry.accessToken } : { slug };
  const { query, destination } = findWanted(request, address);
  const { read, readForPage } = context.projects;
  const project = await (isPart(destination) ? readForPage(wanted) : read(wanted));
  const path =
    project && findFilePath(address.pathname, (candidate) => project.files.has(candidate));
  const text = path === undefined ? undefined : project?.files.get(path);
  if (!project) return absent(address, context);
  if (isVisitFromElsewhere(request)) return doorPage(project, address, context.options.appOrigins);
  const files = fileContext(context, entry);
  try {
    if (path === undefined || text === undefined)
      return (await answerMap(project, address.pathname, files)) ?? absent(address, context);
    return await answerFile(request, { project, path, text, query, destination }, files);
  } catch (error) {
    if (!(error instanceof CompileError)) throw error;
    return compileFailure(error, context.options.appOrigins);
  }
}

/** Whether it is loaded by a page as it opens, and not visited, or asked for by the page's code. */
function isPart(destination: string | null): boolean {
  return destination !== null && ['script', 'style', 'image', 'font'].includes(destination);
}

/**
 * What an answer is for, and the query without the part that says so. Over plain HTTP browsers do not
 * say it, except that a visit wants a page; of a visit that a service worker passes on, they say that
 * it is one.
 */
function findWanted({ headers }: Request, { search }: URL): FormRequest {
  const { query, destination } = takeDestination(search);
  if (destination !== null) return { query, destination };
  const said = headers.get('Sec-Fetch-Dest');
  const isVisit =
    said === null
      ? headers.get('Accept')?.includes('text/html') === true
      : said === 'empty' && headers.get('Sec-Fetch-Mode') === 'navigate';
  return { query, destination: isVisit ? 'document' : said };
}

function fileContext(context: Context, entry: Entry | undefined): FileContext {
  const { options, scripts, compiled } = context;
  const client = findClient(context, entry);
  const { frameAddress, workerAddress } = scripts;
  return { appOrigins: options.appOrigins, frameAddress, workerAddress, compiled, client };
}

/** A user, or the address of somebody who is not signed in. */
function findClient({ limits, address }: Context, entry: Entry | undefined): CompileClient {
  const user = entry && findUser(entry.accessToken);
  return user === undefined
    ? { key: `address ${address}`, timeoutMs: limits.anonymousTimeoutMs }
    : { key: `user ${user}`, timeoutMs: limits.signedInTimeoutMs };
}

/** The user that an access token is of. The backend has checked it to read the project. */
function findUser(accessToken: string): string | undefined {
  try {
    return decodeJwt(accessToken).sub;
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined;
    throw error;
  }
}

const compileStatuses: Readonly<Record<CompileErrorCode, number>> = {
  timeout: 422,
  out_of_memory: 422,
  crashed: 503,
  overloaded: 503,
  queue_full: 503,
  quota_exceeded: 429,
  closed: 503,
};

function compileFailure(error: CompileError, appOrigins: readonly string[]): Response {
  const response = plain(compileStatuses[error.code], `${error.message}\n`, appOrigins);
  if (error.retryAfterS !== undefined)
    response.headers.set('Retry-After', String(error.retryAfterS));
  return response;
}

/** The entry in our own cookie; whatever other cookies came along is not looked at. */
function findEntry(
  request: Request,
  address: URL,
  key: string,
  tokens: EntryTokens,
): Promise<Entry | undefined> | undefined {
  const cookies = request.headers.get('Cookie') ?? '';
  const value = new RegExp(`(?:^|;\\s*)${cookieName}=([\\w.-]+)`).exec(cookies)?.[1];
  return value === undefined ? undefined : tokens.open(value, key, address.origin);
}

/** One answer for a file, a project or a permission that is not there. */
function absent(address: URL, { options, scripts }: Context): Response {
  if (address.pathname === '/favicon.ico') return noIcon(options.appOrigins);
  return new Response(absentPage(address.pathname, scripts.frameAddress), {
    status: 404,
    headers: { ...documentHeaders(options.appOrigins), 'Cache-Control': 'no-store' },
  });
}

/** Browsers ask for it unasked, and write a 404 into the console of a page that has none. */
function noIcon(appOrigins: readonly string[]): Response {
  const headers = new Headers(fileHeaders('image/x-icon', appOrigins));
  headers.delete('Content-Type');
  return new Response(null, { status: 204, headers });
}

function script(
  body: string,
  appOrigins: readonly string[],
  cacheControl: string,
  extra: Record<string, string> = {},
): Response {
  const headers = fileHeaders('text/javascript; charset=utf-8', appOrigins);
  return new Response(body, { headers: { ...headers, 'Cache-Control': cacheControl, ...extra } });
}

function plain(status: number, text: string, appOrigins: readonly string[]): Response {
  return new Response(text, {
    status,
    headers: {
      ...fileHeaders('text/plain; charset=utf-8', appOrigins),
      'Cache-Control': 'no-store',
    },
  });
}

function refuseMethod({ appOrigins }: PreviewServerOptions): Response {
  const response = plain(405, 'Previews only accept GET and HEAD requests.\n', appOrigins);
  response.headers.set('Allow', 'GET, HEAD');
  return response;
}
