import type { Load, Loads } from './loads.ts';
import { findKind } from './network-kinds.ts';
import type { Records } from './network-records.ts';
import { addressOf } from './reload.ts';

/** Records files that the document loaded without a resource timing, including those before this tool was loaded. */
export function watchLoads(records: Records, loads: Loads): void {
  let isEarlier = true;
  loads.follow((load) => {
    // From now on, `fetch` and XMLHttpRequest calls are recorded by their wrappers.
    if (isEarlier || !isCall(load)) note(records, load);
  });
  isEarlier = false;
}

const isCall = ({ by }: Load) => by === 'fetch' || by === 'xmlhttprequest';

function note(records: Records, { path, by, status, hasFailed, size, at }: Load): void {
  const address = addressOf(path);
  const kind = findKind({ initiatorType: by, name: new URL(address, location.origin).href });
  const record = records.begin({ method: 'GET', address, kind, start: at, path });
  if (!record) return;
  record.isTimed = true;
  // The files come from memory.
  Object.assign(record.seen, { status, size, duration: 0, hasFailed });
  records.changed(record);
}
