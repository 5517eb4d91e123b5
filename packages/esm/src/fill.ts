import { isErrorCode, VitrineError } from '@vitrine/project';
import { parse } from 'es-module-lexer';
import type { PackageServer } from './server.ts';
import { isRecord } from './specs.ts';

export interface FillResult {
  /** As it stood in the list. */
  readonly wish: string;
  /** Modules that are ready to be served. */
  readonly modules: number;
  /** What went wrong, as code and details. */
  readonly failures: readonly string[];
}

/**
 * Makes what a list names ready to be served: each line is a package, with a range or not, with a
 * subpath or not (`three@^0.180`, `three/addons/controls/OrbitControls.js`); `#` begins a comment.
 * Everything is asked for as a browser would, so that all of it is there afterwards: both modes,
 * every module that is imported, and the types.
 */
export async function fillStore(
  server: PackageServer,
  origin: string,
  text: string,
  tell: (result: FillResult) => void,
): Promise<void> {
  for (const wish of readList(text)) tell(await fillOne(server, origin, wish));
}

function readList(text: string): string[] {
  const lines = text.split('\n').map((line) => line.replace(/#.*$/, '').trim());
  return [...new Set(lines.filter((line) => line !== ''))];
}

async function fillOne(server: PackageServer, origin: string, wish: string): Promise<FillResult> {
  const failures: string[] = [];
  const done = new Set<string>();
  try {
    const { name, range, subpath } = parseWish(wish);
    const starts = await findStarts(server, origin, name, range);
    for (const base of starts) {
      await follow(server, new URL(base + subpath, origin), done, failures);
      const types = new URL(`/npm/-/types/${base.slice('/npm/'.length)}.json`, origin);
      await ask(server, types, failures);
    }
  } catch (error) {
    if (!(error instanceof VitrineError)) throw error;
    failures.push(describe(error.code, error.details));
  }
  return { wish, modules: done.size, failures };
}

function parseWish(wish: string): { name: string; range: string; subpath: string } {
  const [, name = '', range = '', subpath = ''] =
    /^((?:@[^/@]+\/)?[^/@]+)(?:@([^/]+))?(\/.*)?$/.exec(wish) ?? [];
  if (name === '') throw new VitrineError('package_spec_invalid', wish.slice(0, 214));
  return { name, range, subpath };
}

/** The addresses for development (which projects use) and production (which ranges lead to). */
async function findStarts(
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
  const resolved: unknown = await readOrThrow(await server.fetch(request));
  const packages =
    isRecord(resolved) && Array.isArray(resolved['packages']) ? resolved['packages'] : [];
  const bases = packages.map((item: unknown) => (isRecord(item) ? String(item['base']) : ''));
  const led = await server.fetch(
    new Request(`${origin}/npm/${name}${range && `@${encodeURIComponent(range)}`}`),
  );
  const production = led?.headers.get('location')?.replace(/\?.*$/, '');
  return [...bases, ...(production === undefined ? [] : [production])];
}

async function readOrThrow(answer: Response | undefined): Promise<unknown> {
  const body: unknown = await answer?.json();
  if (answer?.ok) return body;
  const { code, details } = readFailure(body);
  throw new VitrineError(isErrorCode(code) ? code : 'unexpected', details);
}

function readFailure(body: unknown): { code: string; details?: string } {
  if (!isRecord(body)) return { code: 'unexpected' };
  const { code, details } = body;
  return { code: String(code), ...(typeof details === 'string' && { details }) };
}

/** Asks for a module and for all that it imports, one after the other. */
async function follow(
  server: PackageServer,
  address: URL,
  done: Set<string>,
  failures: string[],
): Promise<void> {
  if (done.has(address.href)) return;
  done.add(address.href);
  const answer = await ask(server, address, failures);
  if (!answer?.headers.get('content-type')?.startsWith('text/javascript')) return;
  for (const item of parse(await answer.text())[0]) {
    if (item.specifier?.startsWith('/npm/') !== true) continue;
    await follow(server, new URL(item.specifier, address), done, failures);
  }
}

async function ask(
  server: PackageServer,
  address: URL,
  failures: string[],
): Promise<Response | undefined> {
  const answer = await server.fetch(new Request(address));
  if (answer?.ok) return answer;
  const { code, details } = readFailure(await answer?.json());
  failures.push(`${address.pathname}: ${describe(code, details)}`);
  return undefined;
}

function describe(code: string, details: string | undefined): string {
  return details === undefined ? code : `${code} (${details})`;
}
