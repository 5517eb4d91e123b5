/**
 * Tool: records the page's requests. Calls of `fetch`, XMLHttpRequest, WebSocket, EventSource and `sendBeacon`
 * are recorded with their details; everything else comes from resource timings.
 */
import { watchChannels } from './network-channels.ts';
import { watchFetch } from './network-fetch.ts';
import { createRecords } from './network-records.ts';
import { createGate } from './network-gate.ts';
import { watchLoads } from './network-loads.ts';
import { watchTimings } from './network-timings.ts';
import { watchXhr } from './network-xhr.ts';
import { offerTool } from './tool.ts';

offerTool('network', (context) => {
  const records = createRecords(context);
  const gate = createGate(context.positions);
  watchFetch(records, gate, context.onPurpose.calls);
  context.onPurpose.ofServed = (address) => gate.findFailingServed(address);
  watchXhr(records, gate);
  watchChannels(records);
  watchTimings(records, context.positions);
  watchLoads(records, context.loads);
  return (said) => {
    if (said.type === 'rules') gate.setRules(said.rules);
    else if (said.type === 'details') records.tellDetails(said.id);
  };
});
