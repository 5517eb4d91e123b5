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
  await container.register(script, { scope: '/' });
  return container.ready;
}

/** Each message starts the worker if the browser had stopped it. */
export async function relay(
  message: ToServiceWorker,
  ports: readonly MessagePort[],
): Promise<void> {
  const registration = await installServiceWorker();
  if (!registration.active) throw new Error('the service worker is not active');
  registration.active.postMessage(message, [...ports]);
}
