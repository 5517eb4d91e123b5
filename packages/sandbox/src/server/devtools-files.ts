/**
 * The files of Chromium's DevTools as chii builds them, straight from that package: below an address
 * with its version, so that they are good for ever. Each is compressed when it is first asked for.
 */
import { extension } from '@vitrine/project';
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { fileHeaders } from '../headers.ts';

const fromHere = createRequire(import.meta.url);
const { version } = fromHere('chii/package.json') as { version: string };
const folder = join(dirname(fromHere.resolve('chii/package.json')), 'public/front_end/');

/** Everything of this answers below here. */
export const devtoolsPath = '/__vitrine/devtools/';
/** The module that begins it. */
export const devtoolsModule = `${devtoolsPath}${version}/entrypoints/chii_app/chii_app.js`;

/** No pages: one of these on the app's own host would be a page of the app. */
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
  answer(request: Request, address: URL): Promise<Response>;
}

export function createDevtoolsFiles(appOrigins: readonly string[]): DevtoolsFiles {
  let listed: Promise<ReadonlySet<string>> | undefined;
  /** By encoding and path. At most what the package holds, about 5 MB for each encoding. */
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
    async answer(request, address) {
      const path = findPath(address.pathname);
      // What is not in the list is not there, however the address is written.
      if (path === undefined || !(await (listed ??= listFiles())).has(path))
        return absent(appOrigins);
      const encoding = plainTypes.has(extension(path)) ? 'identity' : findEncoding(request);
      return new Response(await read(path, encoding), {
        headers: {
          ...fileHeaders(types[extension(path)] ?? '', appOrigins),
          'Content-Security-Policy': policyOf(path, address.origin),
          'Cache-Control': 'public, max-age=31536000, immutable',
          // A document without an origin loads them too.
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
      // Somebody waits for it: quality 11 takes twenty times as long for an eighth less.
      await promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
    ),
  gzip: async (bytes) => new Uint8Array(await promisify(gzip)(bytes)),
  identity: async (bytes) => bytes,
};

function findEncoding({ headers }: Request): Encoding {
  const accepted = headers.get('Accept-Encoding') ?? '';
  return (['br', 'gzip'] as const).find((name) => accepted.includes(name)) ?? 'identity';
}

/** "/__vitrine/devtools/1.15.5/core/sdk/sdk.js" → "core/sdk/sdk.js". */
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
  return new Set(paths.filter((path) => types[extension(path)] !== undefined));
}

/** Some scripts are run as workers, under the policy that they come with. */
function policyOf(path: string, origin: string): string {
  return path.endsWith('.js')
    ? `default-src 'none'; script-src ${origin}`
    : "default-src 'none'; sandbox";
}

function absent(appOrigins: readonly string[]): Response {
  return new Response('Not found.\n', {
    status: 404,
    headers: {
      ...fileHeaders('text/plain; charset=utf-8', appOrigins),
      'Cache-Control': 'no-store',
    },
  });
}
