import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * IP address of the client whose request is being handled. Not set during the server's own work.
 */
export const clientAddress = new AsyncLocalStorage<string>();

/** Runs work for a client, which shares the builds, downloads and version resolution fairly. */
export function runForClient<T>(address: string, work: () => T): T {
  return clientAddress.run(address, work);
}

/** IP address of the client that the current work is for; '' for the server's own work. */
export function getClientAddress(): string {
  return clientAddress.getStore() ?? '';
}
