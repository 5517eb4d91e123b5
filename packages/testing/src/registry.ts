/*
 * A fake npm registry as a server. It implements what npm's clients request: packuments, tarballs,
 * search (or none), and tokens (or none). It can also be slow or broken, or republish a version, as
 * real registries do.
 */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { makeArchive } from './tar-archive.ts';

export interface PublishedPackage {
  readonly name: string;
  readonly version: string;
  readonly files?: Readonly<Record<string, string | Buffer>>;
  /** Additional fields of its package.json. */
  readonly manifest?: Readonly<Record<string, unknown>>;
  /** Additional fields of its `dist`, such as another `tarball`. */
  readonly dist?: Readonly<Record<string, unknown>>;
}

export interface FakeRegistry {
  readonly origin: string;
  /** Ends in a slash, as npm writes it. */
  readonly address: string;
  /** Requests in order: `GET /three`. */
  readonly requests: string[];
  /** All received authorization headers. */
  readonly authorizations: string[];
  publish(item: PublishedPackage): void;
  tag(name: string, tag: string, version: string): void;
  /** Overrides the responses for matching paths, until `restore`. */
  behave(path: RegExp, behavior: Behavior): void;
  restore(): void;
  close(): Promise<void>;
}

type Behavior = (response: ServerResponse, request: IncomingMessage) => void;

export async function startFakeRegistry(
  options: { token?: string; search?: boolean } = {},
): Promise<FakeRegistry> {
  const documents = new Map<string, RegistryDocument>();
  const tarballs = new Map<string, Buffer>();
  const requests: string[] = [];
  const authorizations: string[] = [];
  const behaviors: { path: RegExp; behavior: Behavior }[] = [];

  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '');
    requests.push(`${request.method} ${path}`);
    const { authorization } = request.headers;
    if (authorization !== undefined) authorizations.push(authorization);
    const special = behaviors.find((item) => item.path.test(path));
    if (special !== undefined) return special.behavior(response, request);
    if (options.token !== undefined && authorization !== `Bearer ${options.token}`) {
      return answer(response, 401, '{}');
    }
    if (path.startsWith('/-/v1/search')) return search(path, response);
    const tarball = tarballs.get(path);
    if (tarball !== undefined) return answer(response, 200, tarball);
    const document = documents.get(path.slice(1));
    if (document === undefined) return answer(response, 404, '{"error":"not found"}');
    const body = JSON.stringify(document);
    const etag = sha512(Buffer.from(body));
    if (request.headers['if-none-match'] === etag) return answer(response, 304, '');
    response.setHeader('etag', etag);
    answer(response, 200, body);
  });

  const search = (path: string, response: ServerResponse) => {
    if (options.search !== true) return answer(response, 404, '{}');
    const words = new URL(path, 'http://registry').searchParams.get('text') ?? '';
    const found = [...documents.values()].filter(({ name }) => name.includes(words));
    const objects = found.map(({ name, versions, 'dist-tags': tags }) => ({
      package: { ...versions[tags['latest'] ?? ''], name },
    }));
    answer(response, 200, JSON.stringify({ objects }));
  };

  // Like real registries: a client that comes back after a build must not find a closed connection.
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  return {
    origin,
    address: `${origin}/`,
    requests,
    authorizations,
    publish({ name, version, files = {}, manifest = {}, dist = {} }) {
      const fields = { name, version, ...manifest };
      const tarball = makeTarball({ 'package.json': JSON.stringify(fields), ...files });
      const path = `/${name}/-/${name.replace(/^.*\//, '')}-${version}.tgz`;
      tarballs.set(path, tarball);
      const own = { tarball: `${origin}${path}`, integrity: sha512(tarball), ...dist };
      const before = documents.get(name);
      documents.set(name, {
        name,
        'dist-tags': { ...before?.['dist-tags'], latest: version },
        versions: { ...before?.versions, [version]: { ...fields, dist: own } },
      });
    },
    tag(name, tag, version) {
      const document = documents.get(name);
      if (document !== undefined) document['dist-tags'][tag] = version;
    },
    behave: (path, behavior) => void behaviors.push({ path, behavior }),
    restore: () => void behaviors.splice(0),
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

interface RegistryDocument {
  readonly name: string;
  readonly 'dist-tags': Record<string, string>;
  readonly versions: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

function answer(response: ServerResponse, status: number, body: string | Buffer): void {
  response.statusCode = status;
  response.end(body);
}

/** A package's tarball as npm packs it: all files are under `package/`. */
function makeTarball(files: Readonly<Record<string, string | Buffer>>): Buffer {
  return makeArchive(
    Object.entries(files).map(([path, content]) => ({ name: `package/${path}`, content })),
  );
}

function sha512(bytes: Buffer): string {
  return `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
}
