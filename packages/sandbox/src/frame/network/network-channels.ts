import type { RequestRecord, RequestRecords } from './network-records.ts';

/** Records connections that stay open, and beacons, which have no response. */
export function watchChannels(records: RequestRecords): void {
  watchConstructor('WebSocket', (socket, address) => {
    const record = records.addCall({ method: 'GET', address, kind: 'socket' });
    if (!record) return;
    completeOn(records, record, socket, 'open', 101);
  });
  watchConstructor('EventSource', (source, address) => {
    const record = records.addCall({ method: 'GET', address, kind: 'fetch' });
    if (!record) return;
    completeOn(records, record, source, 'open', 200);
  });
  const native = navigator.sendBeacon.bind(navigator);
  Navigator.prototype.sendBeacon = function sendBeacon(address, body) {
    const isSent = native(address, body);
    const record = records.addCall({ method: 'POST', address: String(address), kind: 'fetch' });
    if (record) complete(records, record, { status: null, hasFailed: !isSent });
    return isSent;
  };
}

function watchConstructor(
  name: 'WebSocket' | 'EventSource',
  note: (made: EventTarget, address: string) => void,
): void {
  const native: unknown = Reflect.get(window, name);
  if (typeof native !== 'function') return;
  const watched = new Proxy(native, {
    construct(target, args: unknown[], newTarget) {
      const made: unknown = Reflect.construct(target, args, newTarget);
      if (made instanceof EventTarget) note(made, String(args[0]));
      return Object(made);
    },
  });
  Reflect.set(window, name, watched);
}

/** Completes a record with the first of its open and error events. */
function completeOn(
  records: RequestRecords,
  record: RequestRecord,
  target: EventTarget,
  event: string,
  status: number,
): void {
  const once = { once: true };
  const isOpen = () => record.request.duration !== null;
  target.addEventListener(
    event,
    () => complete(records, record, { status, hasFailed: false }),
    once,
  );
  target.addEventListener(
    'error',
    () => {
      if (!isOpen()) complete(records, record, { status: null, hasFailed: true });
    },
    once,
  );
}

function complete(
  records: RequestRecords,
  record: RequestRecord,
  known: { status: number | null; hasFailed: boolean },
): void {
  Object.assign(record.request, known);
  record.request.duration = performance.now() - record.request.start;
  records.markChanged(record);
}
