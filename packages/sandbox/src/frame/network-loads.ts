import type { Load, Loads } from './loads.ts';
import { findKind } from './network-kinds.ts';
import type { Records } from './network-records.ts';
import { addressOf } from './reload.ts';

/** What the document knows of itself: also what it got before this tool was there. */
export function watchLoads(records: Records, loads: Loads): void {
  let isBefore = true;
  loads.follow((load) => {
    // From now on, the wrapper of `fetch` sees more of it.
    if (isBefore || load.by !== 'fetch') note(records, load);
  });
  isBefore = false;
}

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
