import { serviceWorkerVersion, type ToServiceWorker } from '../protocol.ts';
import { navigateWithoutPrompt } from './navigation.ts';

const script = '/__vitrine/sw.js';
let ready: Promise<ServiceWorkerRegistration> | undefined;

/** Registers the service worker of this live copy; rejects if the browser refuses. */
export function installServiceWorker(): Promise<ServiceWorkerRegistration> {
  ready ??= register();
  return ready;
}

async function register(): Promise<ServiceWorkerRegistration> {
  const container: ServiceWorkerContainer | undefined = navigator.serviceWorker;
  if (!container) throw new Error('there are no service workers here');
  // An existing registration is reused: `register` waits for an update check that Chromium may never finish.
  const known = await container.getRegistration();
  if (known?.active && !isOutdated(known.active)) return known;
  for (;;) {
    try {
      const url = `${script}?${serviceWorkerVersion}`;
      const registration = await container.register(url, { scope: '/' });
      await untilActive(registration.installing ?? registration.waiting);
      return registration;
    } catch (error) {
      // Offline, a failure says nothing about the browser.
      if (navigator.onLine) throw error;
      await new Promise((resolve) => addEventListener('online', resolve, { once: true }));
    }
  }
}

function untilActive(worker: ServiceWorker | null): Promise<void> {
  return new Promise((resolve, reject) => {
    const check = () => {
      if (!worker || worker.state === 'activated') resolve();
      else if (worker.state === 'redundant') reject(new Error('it could not be installed'));
    };
    worker?.addEventListener('statechange', check);
    check();
  });
}

/** Whether a worker is older than this version: "…/sw.js" and "…/sw.js?1" are older than "…/sw.js?2". */
function isOutdated({ scriptURL }: ServiceWorker): boolean {
  const [, version] = /\/sw\.js(?:\?(\d+))?$/.exec(scriptURL) ?? [scriptURL, Infinity];
  return Number(version ?? 1) < serviceWorkerVersion;
}

/**
 * Reloads a page that an older service worker has served, and possibly damaged, once the current one is active.
 */
export function replaceOutdatedWorker(): void {
  const container: ServiceWorkerContainer | undefined = navigator.serviceWorker;
  if (!container?.controller || !isOutdated(container.controller)) return;
  const [opened] = performance.getEntriesByType('navigation');
  const reload = () => navigateWithoutPrompt(() => location.replace(opened?.name ?? location.href));
  installServiceWorker().then(reload, () => undefined);
}

/** Longest wait for an active service worker to control a page that was loaded before it. */
const controlTimeoutMs = 1_000;
/** Longest wait for the service worker to become active; a reloaded page would have to wait too. */
const readyTimeoutMs = 5_000;

/** Whether the service worker handles this page's requests. Waits for it if it is being installed. */
export async function isControlled(): Promise<boolean> {
  const container: ServiceWorkerContainer | undefined = navigator.serviceWorker;
  if (!container) return false;
  if (container.controller && !isOutdated(container.controller)) return true;
  const done = new AbortController();
  const { signal } = done;
  const controlled = new Promise<true>((resolve) =>
    container.addEventListener('controllerchange', () => resolve(true), { once: true, signal }),
  );
  // The caller of `installServiceWorker` handles its errors.
  const installed = (ready ?? Promise.resolve()).catch(() => undefined);
  const late = async () => {
    await Promise.race([installed, wait(readyTimeoutMs)]);
    await wait(controlTimeoutMs);
    return false;
  };
  const isInTime = await Promise.race([controlled, late()]);
  done.abort();
  return isInTime;
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Posts a message to the service worker; the browser starts it if necessary. */
export async function postToServiceWorker(
  message: ToServiceWorker,
  ports: readonly MessagePort[],
): Promise<void> {
  const container: ServiceWorkerContainer | undefined = navigator.serviceWorker;
  const controller = container?.controller;
  const isOurs = controller && !isOutdated(controller);
  const worker = isOurs ? controller : (await installServiceWorker()).active;
  if (!worker) throw new Error('the service worker is not active');
  worker.postMessage(message, [...ports]);
}
