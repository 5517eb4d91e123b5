import {
  networkLimits,
  type RecordedBody,
  type HeaderList,
  type RequestDetails,
  type RequestKind,
  type RequestSource,
  type NetworkRequest,
} from '../../network-messages.ts';
import { pageParameter, runParameter } from '../../protocol.ts';
import { appOrigins } from '../environment.ts';
import { unknownLocation } from '../positions.ts';
import type { ToolContext } from '../tools/tool.ts';

/** A recorded request. */
export interface RequestRecord {
  readonly request: NetworkRequest;
  /** Its resource timing has been applied. */
  isTimed: boolean;
  details: RequestDetails | undefined;
}

export interface RequestRecords {
  readonly all: readonly RequestRecord[];
  /** Whether a URL is recorded from its resource timing only. */
  isOfBrowser(address: string): boolean;
  /** Adds a request; undefined if there are too many, or if it is one of ours. */
  add(o: {
    method: string;
    address: string;
    kind: RequestKind;
    start: number;
    /** Project path, if known. */
    path?: string;
  }): RequestRecord | undefined;
  /** Adds a request of a script's call, with its location and details. */
  addCall(o: { method: string; address: string; kind: RequestKind }): RequestRecord | undefined;
  /** Reports a changed record. */
  markChanged(record: RequestRecord): void;
  sendDetails(id: number): void;
}

const reportIntervalMs = 100;
/** Number of newest requests whose bodies are kept. */
const maxBodies = 50;

export function createRequestRecords({ connection, positions }: ToolContext): RequestRecords {
  const all: RequestRecord[] = [];
  const unsent = new Set<RequestRecord>();
  const isSrcdoc = self.origin === 'null';
  let dropped = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const reportSoon = () => void (timer ??= setTimeout(report, reportIntervalMs));
  function report(): void {
    timer = undefined;
    const batch = [...unsent].slice(0, networkLimits.batch);
    for (const record of batch) unsent.delete(record);
    const requests = batch.map(({ request: seen }) => ({ ...seen }));
    connection.send({ type: 'requests', requests, dropped });
    dropped = 0;
    if (unsent.size > 0) reportSoon();
  }

  const changed = (record: RequestRecord) => {
    unsent.add(record);
    reportSoon();
  };

  const isOurs = (url: URL) =>
    url.pathname.startsWith('/__vitrine/') && positions.missingFileOf(url.href) === '';

  const begin: RequestRecords['add'] = ({ method, address, kind, start, path: known }) => {
    const url = URL.parse(address, positions.base);
    if (!url || isOurs(url) || url.protocol === 'data:') return undefined;
    if (all.length >= networkLimits.requests) {
      dropped += 1;
      reportSoon();
      return undefined;
    }
    const path = known ?? positions.pathOf(url.href);
    if (url.protocol === 'blob:' && path === '') return undefined;
    const record: RequestRecord = {
      request: {
        id: all.length + 1,
        method: method.slice(0, 20),
        address: displayAddress(url, path),
        kind,
        from: findSource(url, path),
        path,
        start: Math.max(0, start),
        duration: null,
        status: null,
        size: null,
        hasFailed: false,
        startedBy: unknownLocation,
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
      // With an opaque origin, the page has the project's files from blobs; see file-loads.ts.
      const isOwn = url.origin === location.origin || url.protocol === 'blob:';
      return !isSrcdoc || !isOwn || positions.missingFileOf(url.href) !== '';
    },
    add: begin,
    addCall(o) {
      const record = begin({ ...o, start: performance.now() });
      if (!record) return undefined;
      record.request.startedBy = positions.findInStack(new Error().stack ?? '');
      record.request.hasDetails = true;
      record.details = noDetails();
      const old = all[all.length - 1 - maxBodies]?.details;
      if (old) old.requestBody = old.responseBody = { text: '', note: 'No longer available.' };
      return record;
    },
    markChanged: changed,
    sendDetails(id) {
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
export function displayAddress(url: URL, path: string): string {
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

export function truncateBody(text: string): RecordedBody {
  const kept = text.slice(0, networkLimits.bodyCharacters);
  const note = kept.length < text.length ? 'Only the first 64 kB is shown.' : '';
  return { text: kept, note };
}

/** Body of a request, as far as it is text. */
export function describeBody(body: unknown): RecordedBody | null {
  if (body === null || body === undefined) return null;
  if (typeof body === 'string') return truncateBody(body);
  if (body instanceof URLSearchParams) return truncateBody(String(body));
  if (!(body instanceof FormData)) return { text: '', note: 'The body isn’t text.' };
  const fields = [...body].map(
    ([name, value]) => `${name}: ${typeof value === 'string' ? value : `file ${value.name}`}`,
  );
  return truncateBody(fields.join('\n'));
}

/** Whether a body of this MIME type is text. */
export function isText(type: string): boolean {
  return /^(?:text\/|[^;]*\b(?:json|xml|javascript|x-www-form-urlencoded))/i.test(type);
}
