import type { RequestKind } from '../network-messages.ts';
import { nameAddress, type Records, type Watched } from './network-records.ts';

/** Everything that the browser itself tells of: also what was asked for before this tool was there. */
export function watchTimings(records: Records): void {
  /** Browsers tell of the page when they are asked, and once more when it has loaded. */
  let page: Watched | undefined;
  const findOrBegin = (entry: PerformanceResourceTiming) =>
    entry.entryType === 'navigation'
      ? (page ??= beginLoad(records, entry))
      : (findCall(records, entry) ?? beginLoad(records, entry));
  const note = (entry: PerformanceResourceTiming) => {
    const isOwn = new URL(entry.name, location.href).pathname.startsWith('/__vitrine/');
    const record = isOwn ? undefined : findOrBegin(entry);
    if (record) noteTiming(records, record, entry);
  };
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries())
      if (entry instanceof PerformanceResourceTiming) note(entry);
  });
  // The page itself comes first.
  observer.observe({ type: 'navigation', buffered: true });
  observer.observe({ type: 'resource', buffered: true });
  watchFailures(records);
}

const calls: ReadonlySet<string> = new Set(['fetch', 'xmlhttprequest', 'beacon', 'eventsource']);

/** What a wrapper has seen already. */
function findCall(records: Records, entry: PerformanceResourceTiming): Watched | undefined {
  if (!calls.has(entry.initiatorType)) return undefined;
  const address = nameAddress(new URL(entry.name), '');
  return records.all.find(
    ({ seen, isTimed, details }) =>
      details && !isTimed && seen.address === address && seen.start <= entry.startTime + 5,
  );
}

function beginLoad(records: Records, entry: PerformanceResourceTiming): Watched | undefined {
  const kind = findKind(entry);
  const method = calls.has(entry.initiatorType) ? '' : 'GET';
  return records.begin({ method, address: entry.name, kind, start: entry.startTime });
}

function noteTiming(records: Records, record: Watched, entry: PerformanceResourceTiming): void {
  const { seen } = record;
  record.isTimed = true;
  const end = entry.responseEnd === 0 ? entry.startTime + entry.duration : entry.responseEnd;
  seen.duration = Math.max(0, end - seen.start);
  // 0 stands for what another host keeps to itself.
  const status: unknown = entry.responseStatus;
  if (typeof status === 'number' && status > 0) {
    seen.status = status;
    seen.hasFailed = status >= 400;
  }
  if (entry.decodedBodySize > 0) seen.size = entry.decodedBodySize;
  records.changed(record);
}

/** Elements that could not load what they name. */
function watchFailures(records: Records): void {
  const note = ({ target }: Event) => {
    if (!(target instanceof Element)) return;
    const name = target.getAttribute('src') ?? target.getAttribute('href');
    const url = name === null ? null : URL.parse(name, document.baseURI);
    if (!url) return;
    const address = nameAddress(url, '');
    const record = records.all.findLast(({ seen }) => seen.address === address);
    if (!record) return;
    record.seen.hasFailed = true;
    records.changed(record);
  };
  addEventListener('error', note, true);
}

const kinds: Readonly<Record<string, RequestKind>> = {
  navigation: 'page',
  iframe: 'page',
  frame: 'page',
  script: 'script',
  img: 'image',
  image: 'image',
  input: 'image',
  video: 'media',
  audio: 'media',
  track: 'media',
  fetch: 'fetch',
  xmlhttprequest: 'fetch',
  beacon: 'fetch',
  eventsource: 'fetch',
};

/** What asked for it says most; where that can be anything, its name does. */
function findKind({ initiatorType, name }: PerformanceResourceTiming): RequestKind {
  return kinds[initiatorType] ?? findKindByName(name);
}

function findKindByName(address: string): RequestKind {
  const [, ending = ''] = /\.(\w+)$/.exec(new URL(address).pathname) ?? [];
  if (/^(?:css|scss|less|sass)$/i.test(ending)) return 'style';
  if (/^(?:m?[jt]sx?|vue|svelte|json)$/i.test(ending)) return 'script';
  if (/^(?:woff2?|ttf|otf)$/i.test(ending)) return 'font';
  if (/^(?:png|jpe?g|gif|webp|avif|svg|ico)$/i.test(ending)) return 'image';
  return /^(?:mp[34]|webm|ogg|wav)$/i.test(ending) ? 'media' : 'other';
}
