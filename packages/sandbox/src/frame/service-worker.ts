import { serviceWorkerVersion, type ToServiceWorker } from '../protocol.ts';
import { leaveQuietly } from './reload.ts';

const script = '/__vitrine/sw.js';
let ready: Promise<ServiceWorkerRegistration> | undefined;

/** Registers the service worker of this working copy; rejects where the browser refuses. */
export function installServiceWorker(): Promise<ServiceWorkerRegistration> {
  ready ??= register();
  return ready;
}

async function register(): Promise<ServiceWorkerRegistration> {
  const container: ServiceWorkerContainer | undefined = navigator.serviceWorker;
  if (!container) throw new Error('there are no service workers here');
  // To register waits for the browser's own look for a newer one, which Chromium may never end.
  const known = await container.getRegistration();
  if (known?.active && !isOutdated(known.active)) return known;
  for (;;) {
    try {
      const address = `${script}?${serviceWorkerVersion}`;
      const registration = await container.register(address, { scope: '/' });
      await untilActive(registration.installing ?? registration.waiting);
      return registration;
    } catch (error) {
      // Without a network it says nothing of the browser.
      if (navigator.onLine) throw error;
      await new Promise((resolve) => addEventListener('online', resolve, { once: true }));
    }
  }
}

function untilActive(worker: ServiceWorker | null): Promise<void> {
  return new Promise((resolve, reject) => {
    const look = () => {
      if (!worker || worker.state === 'activated') resolve();
      else if (worker.state === 'redundant') reject(new Error('it could not be installed'));
    };
    worker?.addEventListener('statechange', look);
    look();
  });
}

/** "…/sw.js" and "…/sw.js?1" are older than "…/sw.js?2". */
function isOutdated({ scriptURL }: ServiceWorker): boolean {
  const [, version] = /\/sw\.js(?:\?(\d+))?$/.exec(scriptURL) ?? [scriptURL, Infinity];
  return Number(version ?? 1) < serviceWorkerVersion;
}

/**
 * A page of the server's that came through an older service worker, whose mistakes may be in it, is
 * loaded again from its address once there is one of now.
 */
export function leaveOutdatedWorker(): void {
  const container: ServiceWorkerContainer | undefined = navigator.serviceWorker;
  if (!container?.controller || !isOutdated(container.controller)) return;
  const [opened] = performance.getEntriesByType('navigation');
  const reload = () => leaveQuietly(() => location.replace(opened?.name ?? location.href));
  installServiceWorker().then(reload, () => undefined);
}

/** Longest wait for the service worker to take over a page that was there before it, once it is ready. */
const controlWithinMs = 1_000;
/** Longest wait for it to become ready; a page loaded anew would wait for that, too. */
const readyWithinMs = 5_000;

/** Whether what this page asks for is answered by the service worker, which a first edit may wait for. */
export async function isControlled(): Promise<boolean> {
  const container: ServiceWorkerContainer | undefined = navigator.serviceWorker;
  if (!container) return false;
  if (container.controller && !isOutdated(container.controller)) return true;
  const gone = new AbortController();
  const { signal } = gone;
  const controlled = new Promise<true>((resolve) =>
    container.addEventListener('controllerchange', () => resolve(true), { once: true, signal }),
  );
  // Whoever installs it hears of what keeps it from that.
  const installed = (ready ?? Promise.resolve()).catch(() => undefined);
  const late = async () => {
    await Promise.race([installed, wait(readyWithinMs)]);
    await wait(controlWithinMs);
    return false;
  };
  const isInTime = await Promise.race([controlled, late()]);
  gone.abort();
  return isInTime;
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Each message starts the worker if the browser had stopped it. */
export async function relay(
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
