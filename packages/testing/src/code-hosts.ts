/*
 * Fake code hosts as one server: GitHub with its gists and raw files, GitLab, Codeberg, Bitbucket,
 * and any other site. It is the server that `IMPORT_MIRROR` names, so the first segment of a path is
 * the host: /raw.githubusercontent.com/ann/birds/main/a.js
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { makeArchive, paxEntry, type TarEntry } from './tar-archive.ts';

type Files = Readonly<Record<string, string | Buffer>>;

interface PublishedRepository {
  /** "github.com/ann/birds", or "gist.github.com/ID" */
  readonly address: string;
  /** Branch, tag or commit. The default branch is published as "HEAD", too. */
  readonly ref?: string;
  readonly files?: Files;
  /** Further entries of the archive, below the repository's folder. */
  readonly entries?: readonly TarEntry[];
}

export interface FakeCodeHosts {
  /** `IMPORT_MIRROR` */
  readonly origin: string;
  /** Requests in order: "codeload.github.com/ann/birds/tar.gz/HEAD" */
  readonly requests: string[];
  /** Publishes a repository's archive and its raw files. */
  publish(repository: PublishedRepository): void;
  /** Publishes one file: "example.org/a.html" */
  publishFile(address: string, content: string | Buffer, mediaType?: string): void;
  /** Overrides the responses to matching requests, until `restore`. */
  behave(address: RegExp, behavior: Behavior): void;
  restore(): void;
  close(): Promise<void>;
}

type Behavior = (response: ServerResponse, request: IncomingMessage) => void;

export async function startFakeCodeHosts(): Promise<FakeCodeHosts> {
  const responses = new Map<string, { content: string | Buffer; mediaType: string }>();
  const requests: string[] = [];
  const behaviors: { address: RegExp; behavior: Behavior }[] = [];

  const server = createServer((request, response) => {
    const address = decodeURIComponent(request.url ?? '').slice(1);
    requests.push(address);
    const special = behaviors.find((item) => item.address.test(address));
    if (special) return special.behavior(response, request);
    const found = responses.get(address);
    response.writeHead(found ? 200 : 404, {
      'content-type': found?.mediaType ?? 'text/plain; charset=utf-8',
    });
    response.end(found?.content ?? '404: Not Found');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const publishFile = (address: string, content: string | Buffer, mediaType = 'text/plain') =>
    void responses.set(address, { content, mediaType });
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    publishFile,
    publish({ address, ref = 'main', files = {}, entries = [] }) {
      const archive = archiveRepository(address, files, entries);
      for (const each of listArchives(address, ref))
        publishFile(each, archive, 'application/x-gzip');
      const raw = address.replace(/^github\.com/, 'raw.githubusercontent.com');
      for (const [path, content] of Object.entries(files))
        publishFile(`${raw}/${ref}/${path}`, content);
    },
    behave: (address, behavior) => void behaviors.push({ address, behavior }),
    restore: () => void behaviors.splice(0),
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

/** Git's archive: a global header with the commit, then everything in one folder, in order. */
function archiveRepository(address: string, files: Files, entries: readonly TarEntry[]): Buffer {
  const folder = `${address.split('/').at(-1)}-0123456`;
  const commit = { ...paxEntry('comment', '0'.repeat(40)), name: 'pax_global_header', type: 'g' };
  const listed = Object.entries(files)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, content]) => ({ name: `${folder}/${path}`, content }));
  const others = entries.map((entry) => ({ ...entry, name: `${folder}/${entry.name}` }));
  return makeArchive([commit, { name: `${folder}/`, type: '5' }, ...listed, ...others]);
}

/** Addresses of the archive of a ref, and of the default branch. */
function listArchives(address: string, ref: string): string[] {
  const [host = '', ...segments] = address.split('/');
  const name = segments.join('/');
  return [ref, ...(ref === 'main' ? ['HEAD'] : [])].flatMap((each) => {
    switch (host) {
      case 'gist.github.com':
        return [`codeload.github.com/gist/${segments.at(-1)}/tar.gz/${each}`];
      case 'gitlab.com':
        return [`gitlab.com/${name}/-/archive/${each}/archive.tar.gz`];
      case 'codeberg.org':
        return [`codeberg.org/${name}/archive/${each}.tar.gz`];
      case 'bitbucket.org':
        return [`bitbucket.org/${name}/get/${each}.tar.gz`];
      default:
        return each.includes('/')
          ? [`codeload.github.com/${name}/tar.gz/refs/heads/${each}`]
          : [`codeload.github.com/${name}/tar.gz/${each}`];
    }
  });
}
