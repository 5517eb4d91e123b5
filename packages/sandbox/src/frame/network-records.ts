import {
  networkLimits,
  type BodyText,
  type Headers as HeaderList,
  type RequestDetails,
  type RequestKind,
  type RequestSource,
  type SeenRequest,
} from '../network-messages.ts';
import { pageParameter, runParameter } from '../protocol.ts';
import { appOrigins } from './environment.ts';
import { nowhere } from './positions.ts';
import type { ToolContext } from './tool.ts';

/** A recorded request. */
export interface Watched {
  readonly seen: SeenRequest;
  /** Its resource timing has been applied. */
  isTimed: boolean;
  details: RequestDetails | undefined;
}

export interface Records {
  readonly all: readonly Watched[];
  /** Whether a URL is recorded from its resource timing only. */
  isOfBrowser(address: string): boolean;
  /** Adds a request; undefined if there are too many, or if it is one of ours. */
  begin(o: {
    method: string;
    address: string;
    kind: RequestKind;
    start: number;
    /** Project path, if known. */
    path?: string;
  }): Watched | undefined;
  /** Adds a request of a script's call, with its location and details. */
  beginCall(o: { method: string; address: string; kind: RequestKind }): Watched | undefined;
  /** Reports a changed record. */
  changed(record: Watched): void;
  tellDetails(id: number): void;
}

const reportIntervalMs = 100;
/** Number of newest requests whose bodies are kept. */
const maxBodies = 50;

export function createRecords({ connection, positions }: ToolContext): Records {
  const all: Watched[] = [];
  const unsent = new Set<Watched>();
  const isPortable = self.origin === 'null';
  let dropped = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const reportSoon = () => void (timer ??= setTimeout(report, reportIntervalMs));
  function report(): void {
    timer = undefined;
    const batch = [...unsent].slice(0, networkLimits.batch);
    for (const record of batch) unsent.delete(record);
    const requests = batch.map(({ seen }) => ({ ...seen }));
    connection.send({ type: 'requests', requests, dropped });
    dropped = 0;
    if (unsent.size > 0) reportSoon();
  }

  const changed = (record: Watched) => {
    unsent.add(record);
    reportSoon();
  };

  const isOurs = (url: URL) =>
    url.pathname.startsWith('/__vitrine/') && positions.absentPathOf(url.href) === '';

  const begin: Records['begin'] = ({ method, address, kind, start, path: known }) => {
    const url = URL.parse(address, positions.base);
    if (!url || isOurs(url) || url.protocol === 'data:') return undefined;
    if (all.length >= networkLimits.requests) {
      dropped += 1;
      reportSoon();
      return undefined;
    }
    const path = known ?? positions.pathOf(url.href);
    if (url.protocol === 'blob:' && path === '') return undefined;
    const record: Watched = {
      seen: {
        id: all.length + 1,
        method: method.slice(0, 20),
        address: nameAddress(url, path),
        kind,
        from: findSource(url, path),
        path,
        start: Math.max(0, start),
        duration: null,
        status: null,
        size: null,
        hasFailed: false,
        startedBy: nowhere,
        hasDetails: false,
      },
      isTimed: false,
      details: undefined,
    };
    all.push(record);
    changed(record);
    return record;
  };

  return {
    all,
    isOfBrowser(address) {
      const url = new URL(address, location.href);
      if (isOurs(url)) return false;
      // With an opaque origin, the page has the project's files from blobs; see loads.ts.
      const isOwn = url.origin === location.origin || url.protocol === 'blob:';
      return !isPortable || !isOwn || positions.absentPathOf(url.href) !== '';
    },
    begin,
    beginCall(o) {
      const record = begin({ ...o, start: performance.now() });
      if (!record) return undefined;
      record.seen.startedBy = positions.findInStack(new Error().stack ?? '');
      record.seen.hasDetails = true;
      record.details = noDetails();
      const old = all[all.length - 1 - maxBodies]?.details;
      if (old) old.requestBody = old.responseBody = { text: '', note: 'No longer available.' };
      return record;
    },
    changed,
    tellDetails(id) {
      const details = all[id - 1]?.details ?? noDetails();
      connection.send({ type: 'details', id, details });
    },
  };
}

function noDetails(): RequestDetails {
  return { requestHeaders: [], responseHeaders: [], requestBody: null, responseBody: null };
}

const ownParameters = new RegExp(`[?&](?:${runParameter}|${pageParameter})=[^&]*`, 'g');

/** Display URL of a request: same-origin URLs as a path, without our query parameters. */
export function nameAddress(url: URL, path: string): string {
  const isInternal = url.protocol === 'blob:' || url.pathname.startsWith('/__vitrine/');
  if (path !== '' && isInternal) return `/${path}`;
  const search = url.search.replace(ownParameters, '');
  const name = url.origin === location.origin ? url.pathname + search : url.href;
  return name.slice(0, 2_000);
}

function findSource(url: URL, path: string): RequestSource {
  if (path !== '' || url.origin === location.origin) return 'project';
  const isPackage = appOrigins.includes(url.origin) && url.pathname.startsWith('/npm/');
  return isPackage ? 'package' : 'outside';
}

export function listHeaders(headers: Iterable<readonly [string, string]>): HeaderList {
  return [...headers]
    .slice(0, networkLimits.headers)
    .map(([name, value]) => [name.slice(0, 200), value.slice(0, networkLimits.headerCharacters)]);
}

export function keepText(text: string): BodyText {
  const kept = text.slice(0, networkLimits.bodyCharacters);
  const note = kept.length < text.length ? 'Only the first 64 KB are shown.' : '';
  return { text: kept, note };
}

/** Body of a request, as far as it is text. */
export function describeBody(body: unknown): BodyText | null {
  if (body === null || body === undefined) return null;
  if (typeof body === 'string') return keepText(body);
  if (body instanceof URLSearchParams) return keepText(String(body));
  if (!(body instanceof FormData)) return { text: '', note: 'The body isn’t text.' };
  const fields = [...body].map(
    ([name, value]) => `${name}: ${typeof value === 'string' ? value : `file ${value.name}`}`,
  );
  return keepText(fields.join('\n'));
}

/** Whether a body of this MIME type is text. */
export function isText(type: string): boolean {
  return /^(?:text\/|[^;]*\b(?:json|xml|javascript|x-www-form-urlencoded))/i.test(type);
}
