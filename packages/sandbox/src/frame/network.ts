/**
 * Tool: records the page's requests. Calls of `fetch`, XMLHttpRequest, WebSocket, EventSource and `sendBeacon`
 * are recorded with their details; everything else comes from resource timings.
 */
import { watchChannels } from './network-channels.ts';
import { watchFetch } from './network-fetch.ts';
import { createRequestRecords } from './network-records.ts';
import { createRequestGate } from './network-gate.ts';
import { recordFileLoads } from './network-loads.ts';
import { watchTimings } from './network-timings.ts';
import { watchXhr } from './network-xhr.ts';
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
