/**
 * Files of the Chrome DevTools front end, served from the chii package under a URL with its version, so that they can be
 * cached forever. Each file is compressed on first use.
 */
import { getExtension } from '@vitrine/project';
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { fileHeaders } from '../headers.ts';

const fromHere = createRequire(import.meta.url);
const { version } = fromHere('chii/package.json') as { version: string };
const folder = join(dirname(fromHere.resolve('chii/package.json')), 'public/front_end/');

/** URL prefix of all files. */
export const devtoolsPath = '/__vitrine/devtools/';
/** Entry module of the front end. */
export const devtoolsModule = `${devtoolsPath}${version}/entrypoints/chii_app/chii_app.js`;

/** MIME types of the served files. HTML is excluded: on the app's own host it would be a page of the app. */
const types: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  json: 'application/json',
  md: 'text/plain; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  avif: 'image/avif',
};
const plainTypes: ReadonlySet<string> = new Set(['png', 'avif']);

export interface DevtoolsFiles {
  respond(request: Request, url: URL): Promise<Response>;
}

export function createDevtoolsFiles(appOrigins: readonly string[]): DevtoolsFiles {
  let listed: Promise<ReadonlySet<string>> | undefined;
  /** Compressed files by encoding and path; the whole package takes about 5 MB per encoding. */
  const compressed = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();

  const read = (path: string, encoding: Encoding): Promise<Uint8Array<ArrayBuffer>> => {
    const key = `${encoding} ${path}`;
    const known = compressed.get(key);
    if (known) return known;
    const bytes = readFile(folder + path).then(compressors[encoding]);
    compressed.set(key, bytes);
    bytes.catch(() => compressed.delete(key));
    return bytes;
  };

  return {
    async respond(request, url) {
      const path = findPath(url.pathname);
      // Only listed files are served, however the URL is written.
      if (path === undefined || !(await (listed ??= listFiles())).has(path))
        return respondNotFound(appOrigins);
      const encoding = plainTypes.has(getExtension(path)) ? 'identity' : findEncoding(request);
      return new Response(await read(path, encoding), {
        headers: {
          ...fileHeaders(types[getExtension(path)] ?? '', appOrigins),
          'Content-Security-Policy': policyOf(path, url.origin),
          'Cache-Control': 'public, max-age=31536000, immutable',
          // Opaque-origin documents load the files too.
          'Access-Control-Allow-Origin': '*',
          Vary: 'Accept-Encoding',
          ...(encoding !== 'identity' && { 'Content-Encoding': encoding }),
        },
      });
    },
  };
}

type Encoding = 'br' | 'gzip' | 'identity';

const compressors: Readonly<
  Record<Encoding, (bytes: Uint8Array<ArrayBuffer>) => Promise<Uint8Array<ArrayBuffer>>>
> = {
  br: async (bytes) =>
    new Uint8Array(
      // Compressed on request: quality 11 takes twenty times as long for an eighth less.
      await promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
    ),
  gzip: async (bytes) => new Uint8Array(await promisify(gzip)(bytes)),
  identity: async (bytes) => bytes,
};

function findEncoding({ headers }: Request): Encoding {
  const accepted = headers.get('Accept-Encoding') ?? '';
  return (['br', 'gzip'] as const).find((name) => accepted.includes(name)) ?? 'identity';
}

/** Path of a file: "/__vitrine/devtools/1.15.5/core/sdk/sdk.js" → "core/sdk/sdk.js" */
function findPath(pathname: string): string | undefined {
  const start = `${devtoolsPath}${version}/`;
  return pathname.startsWith(start) ? pathname.slice(start.length) : undefined;
}

async function listFiles(): Promise<ReadonlySet<string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => `${parentPath}/${name}`.slice(folder.length))
    .map((path) => path.replaceAll('\\', '/').replace(/^\//, ''));
  return new Set(paths.filter((path) => types[getExtension(path)] !== undefined));
}

/** Policy of a file. Some scripts run as workers, under the policy of their own response. */
function policyOf(path: string, origin: string): string {
  return path.endsWith('.js')
    ? `default-src 'none'; script-src ${origin}`
    : "default-src 'none'; sandbox";
}

function respondNotFound(appOrigins: readonly string[]): Response {
  return new Response('Not found.\n', {
    status: 404,
    headers: {
      ...fileHeaders('text/plain; charset=utf-8', appOrigins),
      'Cache-Control': 'no-store',
    },
  });
}
