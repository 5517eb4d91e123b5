/**
 * The limits of every route, which `request-guard.ts` enforces before a handler runs. The table in
 * `docs/requests.md` is generated from here.
 */
import { bodyLimits } from '@vitrine/backend';
import { packageRequestMaxBytes } from '@vitrine/esm';
import type { ErrorCode } from '@vitrine/project';
import { prefillLimits, respondToLargePrefill } from './prefill.ts';

/** How the body of a refusal is written; a page only for clients that accept HTML. */
type RefusalFormat = 'json' | 'text' | 'page';

export interface RouteLimits {
  /** `preview` includes every subdomain of the app's host. */
  readonly host: 'app' | 'preview';
  /** A `:name` is one segment; `*` at the end is anything. */
  readonly path: string;
  readonly maxBodyBytes: number;
  /** Pairs or parts of a form, counted while it arrives. */
  readonly maxFields: number;
  /** Time in which the whole body must arrive. */
  readonly maxBodySeconds: number;
  /** Whether the body is written to disk as it arrives, so that it isn't held in memory. */
  readonly isStreamed: boolean;
  readonly format: RefusalFormat;
  /** Responds to a body that is too large, instead of the usual response. */
  respondToLarge?(request: Request, code: ErrorCode): Response;
}

/** Characters of a query, and of a path. Parsing a query is quadratic in the number of its pairs. */
export const maxQueryLength = 16 * 1024;
export const maxPathLength = 16 * 1024;
/**
 * Segments of a path, except for the services' own. The longest path of a file has 128. A page for
 * 8,000 segments took minutes to render.
 */
export const maxPathSegments = 200;

/** A body that no handler reads is dropped, but may have this many bytes. */
const unreadBytes = 8 * 1024;
/** From this many bytes on, a body may take as long as an upload. */
const largeBytes = 4 * 1024 * 1024;

function createRoute(
  path: string,
  format: RefusalFormat,
  options: Partial<RouteLimits> = {},
): RouteLimits {
  const { maxBodyBytes = unreadBytes } = options;
  return {
    host: 'app',
    path,
    maxBodyBytes,
    maxFields: 100,
    maxBodySeconds: maxBodyBytes < largeBytes ? 30 : 300,
    isStreamed: false,
    format,
    ...options,
  };
}

const upload = { maxBodyBytes: bodyLimits.upload, isStreamed: true };
const storageJson = { maxBodyBytes: bodyLimits.storageJson };
const packageRequest = { maxBodyBytes: packageRequestMaxBytes };

/** The first route that matches applies. */
const fixedRoutes: readonly RouteLimits[] = [
  createRoute('/auth/v1/*', 'json', { maxBodyBytes: bodyLimits.auth }),
  createRoute('/rest/v1/*', 'json', { maxBodyBytes: bodyLimits.rest }),
  ...['list', 'list-v2', 'move', 'copy', 'sign'].map((name) =>
    createRoute(`/storage/v1/object/${name}/*`, 'json', storageJson),
  ),
  createRoute('/storage/v1/object/*', 'json', upload),
  createRoute('/storage/v1/*', 'json', storageJson),
  createRoute('/functions/v1/*', 'json', { maxBodyBytes: bodyLimits.functions }),
  createRoute('/realtime/v1/*', 'json', { maxBodyBytes: bodyLimits.realtime }),
  createRoute('/mail/v1/*', 'json', { maxBodyBytes: bodyLimits.mail }),
  ...['resolve', 'register', 'licenses', 'cancel'].map((name) =>
    createRoute(`/npm/-/${name}`, 'json', packageRequest),
  ),
  createRoute('/npm/*', 'json'),
  createRoute('/healthz', 'json'),
  createRoute('/__vitrine/*', 'text'),
  createRoute('/__manifest', 'text'),
  createRoute('/assets/*', 'text'),
  createRoute('/favicon.svg', 'text'),
  createRoute('/robots.txt', 'text'),
  createRoute('/prefill', 'page', { ...prefillLimits, respondToLarge: respondToLargePrefill }),
];

const previewRoute = createRoute('/*', 'text', { host: 'preview' });
const otherPages = createRoute('/*', 'page');

/** A route of the app's build. React Router's manifest has them by id. */
interface BuiltRoute {
  readonly parentId?: string | undefined;
  readonly path?: string | undefined;
  readonly index?: boolean | undefined;
}

/** Lists the limits of all routes, in the order in which they are matched. */
export function listRouteLimits(
  built: Readonly<Record<string, BuiltRoute | undefined>>,
): readonly RouteLimits[] {
  const paths = Object.values(built).flatMap((route) =>
    route && (route.path !== undefined || route.index) ? [findPath(route, built)] : [],
  );
  const pages = [...new Set(paths)]
    .filter((path) => path !== otherPages.path)
    .map((path) => createRoute(path, 'page'));
  return [...fixedRoutes, ...pages, otherPages, previewRoute];
}

/** The whole path of a route: `/settings/profile`. */
function findPath(
  route: BuiltRoute,
  built: Readonly<Record<string, BuiltRoute | undefined>>,
): string {
  const parent = route.parentId === undefined ? undefined : built[route.parentId];
  const start = parent === undefined ? '/' : findPath(parent, built);
  return route.path ? `${start.replace(/\/$/, '')}/${route.path}` : start;
}

/** Finds the limits of a path on a kind of host. */
export type RouteFinder = (host: RouteLimits['host'], pathname: string) => RouteLimits;

export function createRouteFinder(routes: readonly RouteLimits[]): RouteFinder {
  const patterns = routes.map((route) => ({ route, pattern: compilePattern(route.path) }));
  return (host, pathname) =>
    patterns.find(({ route, pattern }) => route.host === host && pattern.test(pathname))?.route ??
    (host === 'app' ? otherPages : previewRoute);
}

/** React Router requests the data of `/a/b` at `/a/b.data`, and ignores case and a last slash. */
function compilePattern(path: string): RegExp {
  const source = path
    .replace(/[.+?^${}()|[\]\\]/g, String.raw`\$&`)
    .replace(/:\w+/g, '[^/]+')
    .replace(/\/\*$/, '(?:/.*)?');
  return new RegExp(`^${source}(?:\\.data|/)?$`, 'i');
}

/** Formats the routes as a Markdown table. */
export function formatRouteLimits(routes: readonly RouteLimits[]): string {
  const rows = routes.map(({ host, path, maxBodyBytes, maxFields, maxBodySeconds, ...route }) =>
    [
      host === 'app' ? `\`${path}\`` : `\`${path}\` of a preview`,
      `${formatBytes(maxBodyBytes)}${route.isStreamed ? ', to disk' : ''}`,
      maxFields,
      `${maxBodySeconds} s`,
      { json: 'JSON', text: 'text', page: 'page' }[route.format],
    ].join(' | '),
  );
  const head = ['route', 'body', 'fields of a form', 'time to send it', 'refusal'].join(' | ');
  return [head, '--- | --- | --- | --- | ---', ...rows].map((row) => `| ${row} |\n`).join('');
}

function formatBytes(bytes: number): string {
  const mebibyte = 1024 * 1024;
  return bytes < mebibyte ? `${bytes / 1024} KiB` : `${bytes / mebibyte} MiB`;
}
