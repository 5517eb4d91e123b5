import { findRequestKind } from './network-kinds.ts';
import type { PositionMap } from '../positions.ts';
import { displayAddress, type RequestRecords, type RequestRecord } from './network-records.ts';

/** Records requests from resource timings, including those before this tool was loaded. */
export function watchTimings(records: RequestRecords, positions: PositionMap): void {
  /** Record of the page itself. Its timing is reported on request and again when it has loaded. */
  let page: RequestRecord | undefined;
  const findOrBegin = (entry: PerformanceResourceTiming) =>
    entry.entryType === 'navigation'
      ? (page ??= beginLoad(records, entry))
      : (findCall(records, entry) ?? beginLoad(records, entry));
  const note = (entry: PerformanceResourceTiming) => {
    const record = records.isOfBrowser(entry.name) ? findOrBegin(entry) : undefined;
    if (!record) return;
    applyTiming(record, entry, positions);
    records.markChanged(record);
  };
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries())
      if (entry instanceof PerformanceResourceTiming) note(entry);
  });
  // The page itself first.
  observer.observe({ type: 'navigation', buffered: true });
  observer.observe({ type: 'resource', buffered: true });
  watchFailures(records);
}

const calls: ReadonlySet<string> = new Set(['fetch', 'xmlhttprequest', 'beacon', 'eventsource']);

/** Record that a wrapper has created for this timing. */
function findCall(
  records: RequestRecords,
  entry: PerformanceResourceTiming,
): RequestRecord | undefined {
  if (!calls.has(entry.initiatorType)) return undefined;
  const address = displayAddress(new URL(entry.name), '');
  return records.all.find(
    ({ request: seen, isTimed, details }) =>
      details && !isTimed && seen.address === address && seen.start <= entry.startTime + 5,
  );
}

function beginLoad(
  records: RequestRecords,
  entry: PerformanceResourceTiming,
): RequestRecord | undefined {
  const kind = findRequestKind(entry);
  const method = calls.has(entry.initiatorType) ? '' : 'GET';
  return records.add({ method, address: entry.name, kind, start: entry.startTime });
}

function applyTiming(
  record: RequestRecord,
  entry: PerformanceResourceTiming,
  positions: PositionMap,
): void {
  const { request: seen } = record;
  record.isTimed = true;
  const end = entry.responseEnd === 0 ? entry.startTime + entry.duration : entry.responseEnd;
  seen.duration = Math.max(0, end - seen.start);
  // Status 0 means that a cross-origin response hides it.
  const isAbsent = positions.missingFileOf(entry.name) !== '';
  const status: unknown = isAbsent ? 404 : entry.responseStatus;
  if (typeof status === 'number' && status > 0) {
    seen.status = status;
    seen.hasFailed = status >= 400;
  }
  if (entry.decodedBodySize > 0) seen.size = entry.decodedBodySize;
}

/** Marks requests of elements that failed to load. */
function watchFailures(records: RequestRecords): void {
  const note = ({ target }: Event) => {
    if (!(target instanceof Element)) return;
    const name = target.getAttribute('src') ?? target.getAttribute('href');
    const url = name === null ? null : URL.parse(name, document.baseURI);
    if (!url) return;
    const address = displayAddress(url, '');
    const record = records.all.findLast(({ request: seen }) => seen.address === address);
    if (!record) return;
    record.request.hasFailed = true;
    records.markChanged(record);
  };
  addEventListener('error', note, true);
}
