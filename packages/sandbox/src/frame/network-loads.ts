import type { Load, Loads } from './loads.ts';
import { findKind } from './network-kinds.ts';
import type { Records } from './network-records.ts';
import { addressOf } from './reload.ts';

/** What the document knows of itself: also what it got before this tool was there. */
export function watchLoads(records: Records, loads: Loads): void {
  let isBefore = true;
  loads.follow((load) => {
    // From now on, the wrappers of calls see more of them.
    if (isBefore || !isCall(load)) note(records, load);
  });
  isBefore = false;
}

const isCall = ({ by }: Load) => by === 'fetch' || by === 'xmlhttprequest';

function note(records: Records, { path, by, status, hasFailed, size, at }: Load): void {
  const address = addressOf(path);
  const kind = findKind({ initiatorType: by, name: new URL(address, location.origin).href });
  const record = records.begin({ method: 'GET', address, kind, start: at, path });
  if (!record) return;
  record.isTimed = true;
  // They come out of memory.
  Object.assign(record.seen, { status, size, duration: 0, hasFailed });
  records.changed(record);
}
