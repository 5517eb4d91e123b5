/**
 * Runs TypeScript's language service in a worker, for the projects of one page: it may be slow,
 * hang or crash without blocking typing. It knows only what it is sent.
 */
import { handleLanguageCall, createLanguageHandlers } from './handlers.ts';
import { markDeprecated, setLibComments } from './doc-comments.ts';
import type { LanguageCall, LanguageMethod, LanguageMessage, LanguageRequest } from './messages.ts';
import { fetchTypes, mergeTypes } from './package-types.ts';
import { ProjectHost } from './project-host.ts';
import { createTypeScriptContext } from './typescript-context.ts';

/** Longest time that preloading blocks incoming messages. */
const maxBlockMs = 30;
/** Pause in typing after which preloading goes on. */
const typingPauseMs = 400;
/** Longest time that a request waits for package types. */
const packagesTimeoutMs = 1_000;

/** TypeScript's standard library, bundled by path. */
const libModules = import.meta.glob<string>('../../../../node_modules/typescript/lib/lib.*.d.ts', {
  query: '?code',
  import: 'default',
  eager: true,
});

/** Declarations of the standard library without comments, by file name. */
const libs: ReadonlyMap<string, string> = mapByFileName(libModules);

const host = new ProjectHost(libs);
const context = createTypeScriptContext(host);
const handlers = createLanguageHandlers(context);
/** Requests whose results contain documentation or positions in library files. */
const documentationKinds: ReadonlySet<LanguageMethod> = new Set<LanguageMethod>([
  'completion',
  'definitions',
  'description',
  'signature',
  'source',
]);
/**
 * Resolves when the standard library's comments are loaded. Undefined before the first request for
 * them, and after a failure.
 */
let commentsLoaded: Promise<void> | undefined;
/**
 * Type declarations by package URL; null if there are none. Kept while the project has the package.
 */
let typesByUrl = new Map<string, ReadonlyMap<string, string> | null>();
/** Packages requested last, to ignore outdated results. */
let requestedPackages: readonly (readonly [string, string])[] = [];
/** Resolves when the types of the packages requested last are loaded. */
let packagesLoaded: Promise<void> = Promise.resolve();
/** Time of the last keystroke that the page reported. */
let typedAt = -Infinity;

onmessage = ({ data }: MessageEvent<LanguageRequest>) => {
  switch (data.type) {
    case 'files':
      host.changeFiles(data.changed, data.removed);
      return undefined;
    case 'packages':
      packagesLoaded = loadPackages(data.addresses);
      return undefined;
    case 'typed':
      typedAt = performance.now();
      return undefined;
    case 'ask':
      return void handleRequest(data.id, data.ask);
  }
};

void preloadLibs();

/**
 * Parses the standard library while the project's files and packages are loading, in slices that
 * end at a keystroke.
 */
async function preloadLibs(): Promise<void> {
  let yieldedMs = performance.now();
  for (const _ of context.parseLibFiles()) {
    if (performance.now() - yieldedMs < maxBlockMs) continue;
    let waitMs = 0;
    do await new Promise((resolve) => setTimeout(resolve, waitMs));
    while ((waitMs = typedAt + typingPauseMs - performance.now()) > 0);
    yieldedMs = performance.now();
  }
}

async function handleRequest(id: number, ask: LanguageCall): Promise<void> {
  await Promise.race([
    packagesLoaded,
    new Promise((resolve) => setTimeout(resolve, packagesTimeoutMs)),
  ]);
  if (documentationKinds.has(ask.kind)) await loadComments();
  try {
    post({ type: 'answer', id, answer: handleLanguageCall(handlers, ask) });
  } catch (error) {
    // Boundary: the language service may throw on its own bugs, and the next request may work.
    post({ type: 'failed', id, reason: String(error) });
  }
  // Done after the first response, so that it comes sooner; later requests may need the comments.
  setTimeout(markDeprecated);
  void loadComments();
}

/** Without a network documentation is missing until the next request. */
function loadComments(): Promise<void> {
  return (commentsLoaded ??= import('./lib-comments.ts').then(
    (loaded) => setLibComments(mapByFileName(loaded.comments)),
    () => (commentsLoaded = undefined),
  ));
}

/** Replaces paths by file names. */
function mapByFileName(files: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(files).map(([path, text]) => [path.slice(path.lastIndexOf('/') + 1), text]),
  );
}

async function loadPackages(packageUrls: readonly (readonly [string, string])[]): Promise<void> {
  requestedPackages = packageUrls;
  const before = typesByUrl;
  const loaded = await Promise.all(
    packageUrls.map(async ([name, url]) => {
      const types = before.get(url) ?? (await fetchTypes(url).catch(nullIfOffline));
      return [name, url, types] as const;
    }),
  );
  // A newer list of packages has arrived during the request.
  if (packageUrls !== requestedPackages) return;
  typesByUrl = new Map(loaded.map(([, url, types]) => [url, types]));
  const { files, hasTypesByName } = mergeTypes(
    new Map(loaded.map(([name, , types]) => [name, types])),
  );
  host.setPackages(files, hasTypesByName);
  post({ type: 'packages' });
}

/** Without a network a package is typed as `any` until the list of packages is sent again. */
function nullIfOffline(error: unknown): null {
  if (!(error instanceof TypeError)) throw error;
  return null;
}

function post(message: LanguageMessage): void {
  postMessage(message);
}
