/**
 * Tool: records the page's requests. Calls of `fetch`, XMLHttpRequest, WebSocket, EventSource and `sendBeacon`
 * are recorded with their details; everything else comes from resource timings.
 */
import type { FileLoad, FileLoads } from '../file-loads.ts';
import { urlPathOf } from '../navigation.ts';
import { watchChannels } from '../network/network-channels.ts';
import { watchFetch } from '../network/network-fetch.ts';
import { createRequestRecords, type RequestRecords } from '../network/network-records.ts';
import { createRequestGate } from '../network/network-gate.ts';
import { findRequestKind } from '../network/network-kinds.ts';
import { watchTimings } from '../network/network-timings.ts';
import { watchXhr } from '../network/network-xhr.ts';
import { registerTool } from './tool.ts';

registerTool('network', (context) => {
  const records = createRequestRecords(context);
  const gate = createRequestGate(context.positions);
  watchFetch(records, gate, context.ruleFailures.byError);
  context.ruleFailures.findServedRule = (address) => gate.findFailingServed(address);
  watchXhr(records, gate);
  watchChannels(records);
  watchTimings(records, context.positions);
  recordFileLoads(records, context.loads);
  return (message) => {
    if (message.type === 'rules') gate.setRules(message.rules);
    else if (message.type === 'details') records.sendDetails(message.id);
  };
});

/** Records files that the document loaded without a resource timing, including those before this tool was loaded. */
function recordFileLoads(records: RequestRecords, loads: FileLoads): void {
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
