import { AsyncLocalStorage } from 'node:async_hooks';

/** The address of the client whose request is answered. The server's own work has none. */
export const clientAddress = new AsyncLocalStorage<string>();

/** The client on whose behalf work is asked for; '' for the server itself. */
export function currentClient(): string {
  return clientAddress.getStore() ?? '';
}
