import { VitrineError } from '@vitrine/project';
import { parse } from 'es-module-lexer';
import { parseErrorResponse, parseResolveResponse } from './messages.ts';
import type { PackageServer } from './server.ts';

/** Result for one line of the list. */
export interface PrefetchResult {
  /** Package as it was written in the list. */
  readonly spec: string;
  /** Number of modules that are ready to be served. */
  readonly modules: number;
  /** Failures as error codes with details. */
  readonly failures: readonly string[];
}

/**
 * Prefetches the packages of a list into the store. Each line is a package with an optional range
 * and subpath (`three@^0.180`, `three/addons/controls/OrbitControls.js`); `#` starts a comment.
 * Everything is requested as a browser would request it: both modes, every imported module, and the
 * type declarations.
 *
 * @param text The list.
 * @param onResult Called with the result of each line.
 */
export async function prefetchPackages(
  server: PackageServer,
  origin: string,
  text: string,
  onResult: (result: PrefetchResult) => void,
): Promise<void> {
  for (const spec of parseList(text)) onResult(await prefetchPackage(server, origin, spec));
}

function parseList(text: string): string[] {
  const lines = text.split('\n').map((line) => line.replace(/#.*$/, '').trim());
  return [...new Set(lines.filter((line) => line !== ''))];
}

async function prefetchPackage(
  server: PackageServer,
  origin: string,
  spec: string,
): Promise<PrefetchResult> {
  const failures: string[] = [];
  const done = new Set<string>();
  try {
    const { name, range, subpath } = parseLine(spec);
    const bases = await resolveBases(server, origin, name, range);
    for (const base of bases) {
      await prefetchModule(server, new URL(base + subpath, origin), done, failures);
      const types = new URL(`/npm/-/types/${base.slice('/npm/'.length)}.json`, origin);
      await fetchOrRecord(server, types, failures);
    }
  } catch (error) {
    if (!(error instanceof VitrineError)) throw error;
    failures.push(formatFailure(error));
  }
  return { spec, modules: done.size, failures };
}

function parseLine(spec: string): { name: string; range: string; subpath: string } {
  const [, name = '', range = '', subpath = ''] =
    /^((?:@[^/@]+\/)?[^/@]+)(?:@([^/]+))?(\/.*)?$/.exec(spec) ?? [];
  if (name === '') throw new VitrineError('package_spec_invalid', spec.slice(0, 214));
  return { name, range, subpath };
}

/** Base URLs for development (used by projects) and production (used by URLs with a range). */
async function resolveBases(
  server: PackageServer,
  origin: string,
  name: string,
  range: string,
): Promise<string[]> {
  const request = new Request(`${origin}/npm/-/resolve`, {
    method: 'POST',
    headers: { origin },
    body: JSON.stringify({ packageJson: '{}', add: [{ name, range }] }),
  });
  const response = await server.fetch(request);
  if (!response?.ok) throw await readError(response);
  const { packages } = parseResolveResponse(await response.json());
  const redirect = await server.fetch(
    new Request(`${origin}/npm/${name}${range && `@${encodeURIComponent(range)}`}`),
  );
  const production = redirect?.headers.get('location')?.replace(/\?.*$/, '');
  return [...packages.map(({ base }) => base), ...(production === undefined ? [] : [production])];
}

async function readError(response: Response | undefined): Promise<VitrineError> {
  return parseErrorResponse(await response?.json()) ?? new VitrineError('unexpected');
}

/** Requests a module and everything that it imports, one after the other. */
async function prefetchModule(
  server: PackageServer,
  url: URL,
  done: Set<string>,
  failures: string[],
): Promise<void> {
  if (done.has(url.href)) return;
  done.add(url.href);
  const response = await fetchOrRecord(server, url, failures);
  if (!response?.headers.get('content-type')?.startsWith('text/javascript')) return;
  for (const item of parse(await response.text())[0]) {
    if (item.specifier?.startsWith('/npm/') !== true) continue;
    await prefetchModule(server, new URL(item.specifier, url), done, failures);
  }
}

async function fetchOrRecord(
  server: PackageServer,
  url: URL,
  failures: string[],
): Promise<Response | undefined> {
  const response = await server.fetch(new Request(url));
  if (response?.ok) return response;
  failures.push(`${url.pathname}: ${formatFailure(await readError(response))}`);
  return undefined;
}

function formatFailure({ code, details }: VitrineError): string {
  return details === undefined ? code : `${code} (${details})`;
}
