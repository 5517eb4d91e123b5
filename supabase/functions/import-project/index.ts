/*
 * Imports the files of a public link for a user or a visitor: a folder of a repository, a gist, or a
 * file. Takes `{link}` and returns a zip, which is streamed while the files arrive. Its last entry,
 * `__vitrine/import.json`, is a `Report`; a failure after the response began is in there.
 */
import { makeZip } from 'client-zip';
import { Refusal, answerPost } from '../_shared/answer.ts';
import { asService } from '../_shared/backend.ts';
import { findPerson, toRecord } from '../_shared/person.ts';
import { createPacedStream, createShares, toRateLimitKey } from '../_shared/shares.ts';
import { readArchive, type LeftOut, type ReadFile } from './archive.ts';
import { parseLink, type Link } from './links.ts';
import {
  fetchPublic,
  publicInternet,
  readAll,
  readBody,
  type Network,
  type PublicFetchOptions,
  type PublicResponse,
} from './public-fetch.ts';

/** Where the files came from, and what is missing. */
interface Report {
  /** "OWNER/REPO". Empty for a file. */
  readonly repository: string;
  /** Branch, tag or commit. Empty for the default branch and for a file. */
  readonly ref: string;
  /** Path of the folder or file in the repository. */
  readonly folder: string;
  readonly leftOut: readonly LeftOut[];
  /** Code of the app's error catalog if the files aren't complete. */
  readonly error?: string;
}

/** Files of a link that has been opened, not yet read. */
interface OpenedLink {
  readonly files: AsyncIterable<ReadFile>;
  readonly report: Report;
}

/** Milliseconds until the host must have responded. A function itself has ten seconds. */
const responseTimeoutMs = 8_500;
/** Milliseconds of those that an import may wait for its turn. */
const maxWaitMs = 3_000;
/** Milliseconds until all files must have arrived. */
const totalTimeoutMs = 120_000;
const maxArchiveBytes = 100 * 1024 * 1024;
/** Zips are files, too. */
const maxFileBytes = 25 * 1024 * 1024;
/** Imports at the same time, of all and of an account or address. Each has one file in memory. */
const shares = createShares({ slots: 6, slotsPerClient: 2, maxWaitMs });
/** The slowest that a response may be read. `readBody` has the same for the host. */
const pace = { minBytesPerSecond: 16 * 1024, windowMs: 10_000 };

Deno.serve((request) =>
  answerPost(
    request,
    async (bearer) => {
      const { link } = toRecord(await request.json().catch(() => undefined));
      const parsed = parseLink(link);
      const client = await identify(request, bearer);
      const startedAt = Date.now();
      const release = await shares.acquire(client.account ?? client.address);
      try {
        await count(client);
        return await respond(parsed, responseTimeoutMs - (Date.now() - startedAt), release);
      } catch (error) {
        release();
        throw error;
      }
    },
    { allowsVisitors: true },
  ),
);

/** Who imports: an account, or a visitor's address. */
interface Client {
  readonly account: string | null;
  readonly address: string;
}

/** Throws a `Refusal` unless users, or visitors, may import. */
async function identify(request: Request, bearer: string): Promise<Client> {
  const allowed = Deno.env.get('IMPORT_LINKS') ?? 'all';
  if (allowed === 'off') throw new Refusal(403, 'import_off');
  const isVisitor = bearer === '';
  if (isVisitor && allowed !== 'all') throw new Refusal(403, 'import_needs_account');
  const account = isVisitor ? null : (await findPerson(bearer)).id;
  return { account, address: toRateLimitKey(findAddress(request)) };
}

/** Throws a `Refusal` after too many imports in an hour. */
async function count(client: Client): Promise<void> {
  const isCounted = await asService().read('/rest/v1/rpc/count_import', {
    method: 'POST',
    body: client,
  });
  if (isCounted !== true) throw new Refusal(429, 'too_many_imports');
}

/** The client's address, as the proxy in front of functions knows it. */
function findAddress({ headers }: Request): string {
  const forwarded = headers.get('x-forwarded-for')?.split(',').at(-1)?.trim();
  return headers.get('cf-connecting-ip') ?? forwarded ?? '';
}

/** Responds with the files of a link. `release` is called when the response has ended. */
async function respond(link: Link, timeoutMs: number, release: () => void): Promise<Response> {
  const abort = new AbortController();
  const stop = (code: string) => () => abort.abort(new Refusal(504, code));
  const late = setTimeout(stop('link_unreachable'), timeoutMs);
  const tooLong = setTimeout(stop('import_too_slow'), totalTimeoutMs);
  const finish = () => {
    clearTimeout(tooLong);
    // Closes the connection if the client left.
    abort.abort(new Refusal(499, 'import_failed'));
    release();
  };
  try {
    const opened = await openLink(link, { network: readNetwork(), signal: abort.signal });
    const stream = createPacedStream(makeZip(listEntries(opened)), {
      ...pace,
      onEnd: finish,
    });
    return new Response(stream, {
      // supabase-js only returns bytes for this type; it reads others as text.
      headers: { 'content-type': 'application/octet-stream', 'cache-control': 'no-store' },
    });
  } catch (error) {
    finish();
    throw error;
  } finally {
    clearTimeout(late);
  }
}

async function* listEntries({ files, report }: OpenedLink) {
  let error: string | undefined;
  try {
    for await (const { path, bytes } of files) yield { name: path, input: bytes };
  } catch (reason) {
    if (!(reason instanceof Refusal)) console.error(reason);
    error = reason instanceof Refusal ? reason.message : 'unexpected';
  }
  yield { name: '__vitrine/import.json', input: JSON.stringify({ ...report, error }) };
}

function readNetwork(): Network {
  const mirror = Deno.env.get('IMPORT_MIRROR');
  return mirror ? { ...publicInternet, mirror: new URL(mirror) } : publicInternet;
}

/** Requests a link. Resolves once the response has begun. Throws a `Refusal`. */
async function openLink(link: Link, options: PublicFetchOptions): Promise<OpenedLink> {
  if (link.kind === 'file') {
    const response = await fetchPublic(link.url, options);
    assertFound(response);
    const report = { repository: '', ref: '', folder: '', leftOut: [] };
    return { files: readFile(response), report };
  }
  for (const { url, ref, folder } of link.candidates) {
    const response = await fetchPublic(url, options);
    if (response.status === 404) {
      response.message.destroy();
      continue;
    }
    assertFound(response);
    // Some hosts lead to their sign-in page instead.
    if (response.message.headers['content-type']?.startsWith('text/html')) {
      response.message.destroy();
      break;
    }
    const leftOut: LeftOut[] = [];
    return {
      files: readArchive(readBody(response, maxArchiveBytes), folder, leftOut),
      report: { repository: link.repository, ref, folder, leftOut },
    };
  }
  throw new Refusal(404, 'link_not_found');
}

/** Throws a `Refusal` for a response without what was requested, or which is too large. */
function assertFound({ status, message }: PublicResponse): void {
  const refusal = findRefusal(status, message.headers);
  if (refusal === undefined) return;
  message.destroy();
  throw refusal;
}

function findRefusal(status: number, headers: PublicResponse['message']['headers']) {
  if (status === 200) {
    const isTooLarge = Number(headers['content-length'] ?? 0) > maxArchiveBytes;
    return isTooLarge ? new Refusal(422, 'import_too_large') : undefined;
  }
  const isLimited = headers['x-ratelimit-remaining'] === '0' || headers['retry-after'];
  if (status === 429 || (status === 403 && isLimited)) return new Refusal(503, 'link_rate_limited');
  const isMissing = [401, 403, 404, 410, 451].includes(status);
  return isMissing ? new Refusal(404, 'link_not_found') : new Refusal(502, 'link_unreachable');
}

/** The only file of a response, named as in its URL. */
async function* readFile(response: PublicResponse): AsyncGenerator<ReadFile> {
  const name = response.url.pathname.split('/').at(-1) ?? '';
  const isPage = response.message.headers['content-type']?.startsWith('text/html');
  const path = isPage && !/\.html?$/i.test(name) ? 'index.html' : decodeName(name);
  yield { path, bytes: await readAll(response, maxFileBytes) };
}

/** "a%20b.js" → "a b.js". Names that can't be a file's become "file.txt". */
function decodeName(name: string): string {
  try {
    const text = decodeURIComponent(name);
    return /^\.{0,2}$|[/\\\p{Cc}]|^__vitrine/u.test(text) ? 'file.txt' : text;
  } catch (error) {
    if (error instanceof URIError) return 'file.txt';
    throw error;
  }
}
