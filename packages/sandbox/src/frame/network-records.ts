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

/** A request while it is watched. */
export interface Watched {
  readonly seen: SeenRequest;
  /** The browser has told of it. */
  isTimed: boolean;
  details: RequestDetails | undefined;
}

export interface Records {
  readonly all: readonly Watched[];
  /** Whether it is the browser alone that tells of what has this address. */
  isOfBrowser(address: string): boolean;
  /** Begins one; undefined where there are too many to show, or it is one of ours. */
  begin(o: {
    method: string;
    address: string;
    kind: RequestKind;
    start: number;
    /** The project's, where it is known. */
    path?: string;
  }): Watched | undefined;
  /** As above, for what a script asks for itself: it has a place, and details. */
  beginCall(o: { method: string; address: string; kind: RequestKind }): Watched | undefined;
  /** More is known of it. */
  changed(record: Watched): void;
  tellDetails(id: number): void;
}

const tellEveryMs = 100;
/** Bodies are kept of the newest so many. */
const keptBodies = 50;

export function createRecords({ connection, positions }: ToolContext): Records {
  const all: Watched[] = [];
  const unsent = new Set<Watched>();
  const isPortable = self.origin === 'null';
  let dropped = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const tellSoon = () => void (timer ??= setTimeout(tell, tellEveryMs));
  function tell(): void {
    timer = undefined;
    const batch = [...unsent].slice(0, networkLimits.batch);
    for (const record of batch) unsent.delete(record);
    const requests = batch.map(({ seen }) => ({ ...seen }));
    connection.send({ type: 'requests', requests, dropped });
    dropped = 0;
    if (unsent.size > 0) tellSoon();
  }

  const changed = (record: Watched) => {
    unsent.add(record);
    tellSoon();
  };

  const isOurs = (url: URL) =>
    url.pathname.startsWith('/__vitrine/') && positions.absentPathOf(url.href) === '';

  const begin: Records['begin'] = ({ method, address, kind, start, path: known }) => {
    const url = URL.parse(address, positions.base);
    if (!url || isOurs(url) || url.protocol === 'data:') return undefined;
    if (all.length >= networkLimits.requests) {
      dropped += 1;
      tellSoon();
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
      // Without an origin the page has its own files from itself: see loads.ts.
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
      const old = all[all.length - 1 - keptBodies]?.details;
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

/** Addresses of the project are shown from its root, without what hosts put into them. */
export function nameAddress(url: URL, path: string): string {
  const isStandIn = url.protocol === 'blob:' || url.pathname.startsWith('/__vitrine/');
  if (path !== '' && isStandIn) return `/${path}`;
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

/** What was sent along, as far as it is text. */
export function describeBody(body: unknown): BodyText | null {
  if (body === null || body === undefined) return null;
  if (typeof body === 'string') return keepText(body);
  if (body instanceof URLSearchParams) return keepText(String(body));
  if (!(body instanceof FormData)) return { text: '', note: 'It is no text.' };
  const fields = [...body].map(
    ([name, value]) => `${name}: ${typeof value === 'string' ? value : `file ${value.name}`}`,
  );
  return keepText(fields.join('\n'));
}

/** Whether a body of this type is worth showing. */
export function isText(type: string): boolean {
  return /^(?:text\/|[^;]*\b(?:json|xml|javascript|x-www-form-urlencoded))/i.test(type);
}
