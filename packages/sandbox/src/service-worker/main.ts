/**
 * The service worker of a live copy's origin. It serves the files that the app has sent for a run; everything else goes
 * to the server. Files are kept in Cache Storage, because the browser may stop the worker at any time.
 */
import { parseToServiceWorker, type StoreResponse } from '../protocol.ts';
import { isBootPage, isServerRequest, respondToBoot, respondToFetch } from './respond.ts';
import { createNetworkRuleStore } from './network-rule-store.ts';
import { createRunStore } from './run-store.ts';

declare const self: ServiceWorkerGlobalScope;

const runs = createRunStore(self.caches);
const rules = createNetworkRuleStore(self.caches, self.location.origin);

self.addEventListener('install', () => void self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

self.addEventListener('message', (event) => {
  const message = parseToServiceWorker(event.data);
  if (!message) return;
  if (message.type === 'rules') return event.waitUntil(rules.set(message.run, message.rules));
  if (message.type === 'forget')
    return event.waitUntil(Promise.all([runs.forget(message.run), rules.set(message.run, [])]));
  const port = event.ports[0];
  event.waitUntil(
    runs.store(message, (response: StoreResponse) => {
      port?.postMessage(response);
      port?.close();
    }),
  );
});

self.addEventListener('fetch', (event) => {
  const url = new URL(event.request.url);
  if (url.origin !== self.location.origin) return;
  if (isBootPage(event.request, url)) return event.respondWith(respondToBoot(event.request));
  if (url.pathname.startsWith('/__vitrine/')) return;
  const state = { runs, rules, clients: self.clients };
  if (!isServerRequest(event, url, state)) event.respondWith(respondToFetch(event, url, state));
});
