import { resolveSameOrigin, type AssetFile, type ByteRange } from '@vitrine/project';
import { decodeJwt, errors } from 'jose';
import { notFoundPage } from '../not-found-page.ts';
import { decodePath, findFilePath } from '../file-urls.ts';
import { splitDestination, type OutputRequest } from '../file-outputs.ts';
import { documentHeaders, fileHeaders } from '../headers.ts';
import { runParameter } from '../protocol.ts';
import { createCompilePool, type CompileClient } from './compile-pool.ts';
import { CompileError, type CompileErrorCode } from './compile-job.ts';
import {
  createCompileCache,
  type CompileCache,
  type CompileLog,
  type ServedProject,
} from './compile-cache.ts';
import {
  createRequestHolder,
  isBusy,
  respondBusyPage,
  type RequestHolder,
} from './busy-responses.ts';
import { createDevtoolsFiles, devtoolsPath, type DevtoolsFiles } from './devtools-files.ts';
import { respondDevtoolsPage } from './devtools-page.ts';
import { respondInterstitial, isExternalNavigation } from './interstitial.ts';
import { createAccessTokens, type PreviewAccess, type AccessTokens } from './access-tokens.ts';
import {
  respondAsset,
  respondFile,
  respondRaw,
  respondSourceMap,
  type FileResponseContext,
  type ReadBytes,
} from './file-responses.ts';
import { respondSrcdocPage, respondTestPage } from './internal-pages.ts';
import { respondBootPage } from '../start-page.ts';
import { findPreviewKey, type PreviewKey } from './preview-hosts.ts';
import {
  createRecentProjects,
  type RecentProjects,
  type ProjectRequest,
} from './recent-projects.ts';
import { buildScripts, type PreviewScripts } from './scripts.ts';
import { buildTestScripts, testScriptsPath, type TestScripts } from './test-scripts.ts';

interface PreviewServerOptions {
  /** Origins whose pages may embed previews. The first one serves packages. */
  appOrigins: string[];
  /** Hosts, with ports, whose subdomains are previews. */
  hosts: string[];
  /** Encrypts access tokens and cookies; the same in every process that serves previews. */
  secret: Uint8Array;
  /** Folder for built scripts; without it, they are built at every start. */
  scriptsFolder?: string;
  /** Reads a project as a user or visitor may see it; undefined if it doesn't exist for them. */
  readProject(projectRequest: ProjectRequest): Promise<ServedProject | undefined>;
  /**
   * Reads the bytes of an asset, or a range of them, of a project that `readProject` has returned for this
   * request. Undefined if there are none. A server of projects without assets needs no such function.
   */
  readAsset?(
    projectRequest: ProjectRequest,
    asset: AssetFile,
    range?: ByteRange,
  ): ReturnType<ReadBytes>;
  compileLimits?: Partial<CompileLimits>;
  log?: CompileLog;
}

/** Limits, in milliseconds. */
interface CompileLimits {
  /** CPU time per file for a visitor. */
  anonymousTimeoutMs: number;
  /** CPU time per file for a signed-in user. The largest file takes about a second. */
  signedInTimeoutMs: number;
  /** CPU time per minute for all files of a user or IP address. */
  quotaMs: number;
}

const defaultCompileLimits: CompileLimits = {
  anonymousTimeoutMs: 1_500,
  signedInTimeoutMs: 5_000,
  quotaMs: 30_000,
};

export interface PreviewServer {
  /**
   * Responds to a request for a preview host or an internal page; undefined for any other. `client.address` is the
   * client's IP address, for limits; without it all clients share theirs.
   */
  fetch(request: Request, client?: { readonly address: string }): Promise<Response | undefined>;
  /** Creates a URL that opens a private project's preview once, within a minute. */
  mintAccessUrl(access: PreviewAccess): Promise<string>;
  /** Starts a compile process if there is none, because a preview is likely to be requested soon. */
  prewarm(): void;
  /** Ends the compile processes. */
  close(): Promise<void>;
}

/** For scripts whose URL contains their hash. */
const immutable = 'public, max-age=31536000, immutable';
/** Allows opaque-origin documents to load module scripts. */
const anyOrigin = { 'Access-Control-Allow-Origin': '*' };
const cookieName = '__Host-vitrine-preview';
/** Path of a version's files as they are, on the version's host: `/__vitrine/raw/src/App.tsx`. */
const rawPath = '/__vitrine/raw/';

/** Creates the server of previews and starts building their scripts. */
export function createPreviewServer(options: PreviewServerOptions): PreviewServer {
  const tokens = createAccessTokens(options.secret);
  // Started at once: the first preview would wait for them, on a busy machine for seconds.
  const scripts = buildScripts(options.appOrigins, options.scriptsFolder);
  // A failure is reported by each request; without one, nothing awaits the promise.
  scripts.catch(() => undefined);
  const projects = createRecentProjects((projectRequest) => options.readProject(projectRequest));
  let testScripts: Promise<TestScripts> | undefined;
  const limits = { ...defaultCompileLimits, ...options.compileLimits };
  const pool = createCompilePool(limits);
  const compiled = createCompileCache(pool, {
    origin: options.appOrigins[0] ?? '',
    log: options.log,
  });
  const holder = createRequestHolder();
  const devtools = createDevtoolsFiles(options.appOrigins);
  const context = async (client: { readonly address: string }): Promise<Context> => ({
    options,
    limits,
    clientIp: client.address,
    tokens,
    compiled,
    holder,
    projects,
    devtools,
    scripts: await scripts,
    findTestScripts: () =>
      (testScripts ??= buildTestScripts(options.appOrigins, options.scriptsFolder)),
  });
  return {
    async fetch(request, client = { address: '' }) {
      const url = new URL(request.url);
      const key = findPreviewKey(url.host, options.hosts);
      if (!key && !isInternalPath(url.pathname)) return undefined;
      if (request.method !== 'GET' && request.method !== 'HEAD') return methodNotAllowed(options);
      const response = await respond(request, url, key, await context(client));
      if (request.method !== 'HEAD') return response;
      await response.body?.cancel();
      return new Response(null, response);
    },
    async mintAccessUrl(access) {
      const token = await tokens.mint(access);
      return `${access.origin}/__vitrine/enter?token=${token}`;
    },
    prewarm: () => pool.prewarm(),
    close: () => pool.close(),
  };
}

interface Context {
  options: PreviewServerOptions;
  limits: CompileLimits;
  /** IP address of the client. */
  clientIp: string;
  tokens: AccessTokens;
  scripts: PreviewScripts;
  findTestScripts(): Promise<TestScripts>;
  compiled: CompileCache;
  holder: RequestHolder;
  projects: RecentProjects;
  devtools: DevtoolsFiles;
}

/** Whether a path is an internal page or script that is served on any host, sandboxed and without user content. */
function isInternalPath(pathname: string): boolean {
  return (
    /^\/__vitrine\/(?:srcdoc|srcdoc-tests|devtools|[\w-]+\.js)$/.test(pathname) ||
    pathname.startsWith(testScriptsPath) ||
    pathname.startsWith(devtoolsPath)
  );
}

async function respond(
  request: Request,
  url: URL,
  key: PreviewKey | undefined,
  context: Context,
): Promise<Response> {
  const { appOrigins } = context.options;
  // Browsers send this header with every service worker script, and pages can't. P-13
  if (request.headers.get('Service-Worker') === 'script' && !isWorkerScript(url, key))
    return plain(403, 'Projects can’t register service workers.\n', appOrigins);
  const internalScript = context.scripts.byPath.get(url.pathname);
  if (internalScript !== undefined) return script(internalScript, appOrigins, immutable, anyOrigin);
  if (url.pathname === '/__vitrine/srcdoc')
    return respondSrcdocPage(context.scripts.srcdocFrameUrl, appOrigins);
  if (url.pathname === '/__vitrine/srcdoc-tests')
    return respondTestPage('srcdoc', await context.findTestScripts(), appOrigins);
  if (url.pathname.startsWith(testScriptsPath)) return respondTestScript(url, context);
  if (url.pathname === '/__vitrine/devtools')
    return respondDevtoolsPage(url, key, context.scripts.devtoolsUrl, appOrigins);
  if (url.pathname.startsWith(devtoolsPath)) return context.devtools.respond(request, url);
  if (!key) return plain(404, 'Not found.\n', appOrigins);
  return respondPreview(request, url, key, context);
}

/** Responds with a test script. Opaque-origin documents import them too. */
async function respondTestScript(url: URL, context: Context): Promise<Response> {
  const { appOrigins } = context.options;
  const { files } = await context.findTestScripts();
  const text = files.get(url.pathname.slice(testScriptsPath.length));
  return text === undefined
    ? plain(404, 'Not found.\n', appOrigins)
    : script(text, appOrigins, immutable, anyOrigin);
}

function isWorkerScript(url: URL, key: PreviewKey | undefined): boolean {
  const isEdited = key?.kind === 'edit' || key?.kind === 'draft' || key?.kind === 'tests';
  return url.pathname === '/__vitrine/sw.js' && isEdited;
}

async function respondPreview(
  request: Request,
  url: URL,
  key: PreviewKey,
  context: Context,
): Promise<Response> {
  const { appOrigins } = context.options;
  switch (url.pathname) {
    case '/__vitrine/sw.js':
      if (!isWorkerScript(url, key)) break;
      return script(context.scripts.serviceWorker, appOrigins, 'no-cache', {
        'Service-Worker-Allowed': '/',
      });
    case '/__vitrine/boot':
      if (key.kind === 'saved' || key.kind === 'version' || key.kind === 'devtools') break;
      return respondBootPage(context.scripts.frameUrl, appOrigins);
    case '/__vitrine/tests':
      if (key.kind !== 'tests') break;
      return respondTestPage('isolated-origin', await context.findTestScripts(), appOrigins);
    case '/__vitrine/enter':
      return exchangeToken(url, key, context);
  }
  if (!('slug' in key)) return respondNotFound(url, context);
  return respondProject(request, url, key, context);
}

/** Exchanges a token for the cookie and redirects to the page. P-14 */
async function exchangeToken(url: URL, key: PreviewKey, context: Context): Promise<Response> {
  const token = url.searchParams.get('token') ?? '';
  const access = await context.tokens.exchange(token, key.key, url.origin);
  const headers = new Headers(documentHeaders(context.options.appOrigins, 'same-origin'));
  headers.set('Cache-Control', 'no-store');
  headers.set('Location', pageAfterAccess(url));
  if (access) headers.set('Set-Cookie', await makeCookie(access, context.tokens));
  return new Response(null, { status: 303, headers });
}

function pageAfterAccess(url: URL): string {
  const { origin } = url;
  const path = url.searchParams.get('path') ?? '/';
  const page = resolveSameOrigin(path, origin) ?? new URL(origin);
  page.search = '';
  const run = url.searchParams.get(runParameter);
  if (run) page.searchParams.set(runParameter, run);
  return page.href;
}

/** `Partitioned` and `SameSite=None`, because the frame may be on another site than its page. */
async function makeCookie(access: PreviewAccess, tokens: AccessTokens): Promise<string> {
  const seconds = Math.max(0, Math.floor((access.expiresAt - Date.now()) / 1000));
  const value = await tokens.encryptCookie(access);
  return `${cookieName}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; Secure; SameSite=None; Partitioned`;
}

async function respondProject(
  request: Request,
  url: URL,
  key: Extract<PreviewKey, { slug: string }>,
  context: Context,
): Promise<Response> {
  const access = await readAccess(request, url, key.key, context.tokens);
  const projectRequest: ProjectRequest = {
    slug: key.slug,
    ...(key.kind === 'version' && { version: key.version }),
    ...(access && { accessToken: access.accessToken }),
  };
  const { query, destination } = readDestination(request, url);
  const { read, readForPage } = context.projects;
  const project = await (isSubresource(destination)
    ? readForPage(projectRequest)
    : read(projectRequest));
  const isRaw = key.kind === 'version' && url.pathname.startsWith(rawPath);
  const path = project && (isRaw ? findRawPath(url, project) : findPagePath(url, project));
  const found = path === undefined ? undefined : project?.files.get(path);
  if (!project) return respondNotFound(url, context);
  if (!isRaw && isExternalNavigation(request))
    return respondInterstitial(project, url, context.options.appOrigins);
  const files = fileContext(context, access);
  try {
    if (path === undefined || !found)
      return (
        (await respondSourceMap(project, url.pathname, files)) ??
        respondNotFound(url, context, [...project.files.keys()])
      );
    const readBytes: ReadBytes = async (range) =>
      found.kind === 'asset'
        ? context.options.readAsset?.(projectRequest, found, range)
        : undefined;
    if (isRaw) {
      const raw = { project, path, content: found };
      return (await respondRaw(request, raw, readBytes, files)) ?? respondNotFound(url, context);
    }
    const file = { project, path, query, destination };
    const respond = async () =>
      found.kind === 'text'
        ? respondFile(request, { ...file, text: found.text }, files)
        : ((await respondAsset(request, file, found, readBytes, files)) ??
          respondNotFound(url, context));
    // Without a destination, the request isn't a page's.
    if (destination === null || isNavigation(destination)) return await respond();
    return await context.holder.hold(files.client.key, request.signal, respond);
  } catch (error) {
    if (!(error instanceof CompileError)) throw error;
    if (isBusy(error) && isNavigation(destination))
      return respondBusyPage(error, compileStatuses[error.code], context.options.appOrigins);
    return compileFailure(error, context.options.appOrigins);
  }
}

const navigations: ReadonlySet<string | null> = new Set(['document', 'iframe', 'frame']);

/** Whether a request loads a page. */
const isNavigation = (destination: string | null): boolean => navigations.has(destination);

function findPagePath({ pathname }: URL, { files }: ServedProject): string | undefined {
  return findFilePath(pathname, (path) => files.has(path));
}

/** Only the exact path, not a page for a folder: `/__vitrine/raw/a/index.html`. */
function findRawPath({ pathname }: URL, { files }: ServedProject): string | undefined {
  const path = decodePath(pathname.slice(rawPath.length - 1));
  return path !== undefined && files.has(path) ? path : undefined;
}

const subresourceDestinations: ReadonlySet<string> = new Set([
  'script',
  'style',
  'image',
  'font',
  'audio',
  'video',
  'track',
]);

/** Whether a page requests the file while it loads, not as a navigation or by its code. */
function isSubresource(destination: string | null): boolean {
  return destination !== null && subresourceDestinations.has(destination);
}

/**
 * Destination of a request, and its query without the destination parameter. Over plain HTTP browsers send no destination;
 * there a navigation is recognized by its Accept header. A navigation that a service worker passes on is recognized by its
 * mode.
 */
function readDestination({ headers }: Request, { search }: URL): OutputRequest {
  const { query, destination } = splitDestination(search);
  if (destination !== null) return { query, destination };
  const header = headers.get('Sec-Fetch-Dest');
  const isNavigation =
    header === null
      ? headers.get('Accept')?.includes('text/html') === true
      : header === 'empty' && headers.get('Sec-Fetch-Mode') === 'navigate';
  return { query, destination: isNavigation ? 'document' : header };
}

function fileContext(context: Context, access: PreviewAccess | undefined): FileResponseContext {
  const { options, scripts, compiled } = context;
  const client = findClient(context, access);
  const { frameUrl, workerScriptUrl } = scripts;
  const isPersonal = access !== undefined;
  return {
    appOrigins: options.appOrigins,
    frameUrl,
    workerScriptUrl,
    compiled,
    client,
    isPersonal,
  };
}

/** The user or, for a visitor, the IP address. */
function findClient(
  { limits, clientIp }: Context,
  access: PreviewAccess | undefined,
): CompileClient {
  const user = access && findUser(access.accessToken);
  return user === undefined
    ? { key: `address ${clientIp}`, timeoutMs: limits.anonymousTimeoutMs }
    : { key: `user ${user}`, timeoutMs: limits.signedInTimeoutMs };
}

/** User id in an access token. The backend has verified the token by reading the project. */
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
  fatal: 422,
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

/** Reads the preview's own cookie; other cookies are ignored. */
function readAccess(
  request: Request,
  url: URL,
  key: string,
  tokens: AccessTokens,
): Promise<PreviewAccess | undefined> | undefined {
  const cookies = request.headers.get('Cookie') ?? '';
  const value = new RegExp(`(?:^|;\\s*)${cookieName}=([\\w.-]+)`).exec(cookies)?.[1];
  return value === undefined ? undefined : tokens.decryptCookie(value, key, url.origin);
}

/**
 * 404 page, the same for a missing file, project or permission. The root of a project without a page
 * there lists its pages to those who may view it.
 */
function respondNotFound(
  url: URL,
  { options, scripts }: Context,
  paths: readonly string[] = [],
): Response {
  if (url.pathname === '/favicon.ico') return noIcon(options.appOrigins);
  return new Response(notFoundPage(url.pathname, scripts.frameUrl, paths), {
    status: 404,
    headers: { ...documentHeaders(options.appOrigins), 'Cache-Control': 'no-store' },
  });
}

/** Empty favicon: browsers request it on their own and log a 404 to the page's console. */
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

function methodNotAllowed({ appOrigins }: PreviewServerOptions): Response {
  const response = plain(405, 'Previews only accept GET and HEAD requests.\n', appOrigins);
  response.headers.set('Allow', 'GET, HEAD');
  return response;
}
