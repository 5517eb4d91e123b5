import type { ToServiceWorker } from '../protocol.ts';

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
  if (known?.active) return known;
  await container.register(script, { scope: '/' });
  return container.ready;
}

/** Longest wait for the service worker to take over a page that was there before it. */
const controlWithinMs = 1_000;

/** Whether what this page asks for is answered by the service worker, which a first edit may wait for. */
export function isControlled(): Promise<boolean> {
  const container: ServiceWorkerContainer | undefined = navigator.serviceWorker;
  if (!container || container.controller) return Promise.resolve(container !== undefined);
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), controlWithinMs);
    const onControlled = () => {
      clearTimeout(timer);
      resolve(true);
    };
    container.addEventListener('controllerchange', onControlled, { once: true });
  });
}

/** Each message starts the worker if the browser had stopped it. */
export async function relay(
  message: ToServiceWorker,
  ports: readonly MessagePort[],
): Promise<void> {
  const container: ServiceWorkerContainer | undefined = navigator.serviceWorker;
  const worker = container?.controller ?? (await installServiceWorker()).active;
  if (!worker) throw new Error('the service worker is not active');
  worker.postMessage(message, [...ports]);
}
