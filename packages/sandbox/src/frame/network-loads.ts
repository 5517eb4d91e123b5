import type { FileLoad, FileLoads } from './file-loads.ts';
import { findRequestKind } from './network-kinds.ts';
import type { RequestRecords } from './network-records.ts';
import { urlPathOf } from './navigation.ts';

/** Records files that the document loaded without a resource timing, including those before this tool was loaded. */
export function recordFileLoads(records: RequestRecords, loads: FileLoads): void {
  let isEarlier = true;
  loads.subscribe((load) => {
    // From now on, `fetch` and XMLHttpRequest calls are recorded by their wrappers.
    if (isEarlier || !isCall(load)) note(records, load);
  });
  isEarlier = false;
}

const isCall = ({ by }: FileLoad) => by === 'fetch' || by === 'xmlhttprequest';

function note(records: RequestRecords, { path, by, status, hasFailed, size, at }: FileLoad): void {
  const address = urlPathOf(path);
  const kind = findRequestKind({ initiatorType: by, name: new URL(address, location.origin).href });
  const record = records.add({ method: 'GET', address, kind, start: at, path });
  if (!record) return;
  record.isTimed = true;
  // The files come from memory.
  Object.assign(record.request, { status, size, duration: 0, hasFailed });
  records.markChanged(record);
}
