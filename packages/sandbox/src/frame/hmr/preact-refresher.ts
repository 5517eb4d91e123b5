/** Preact's refresh runtime (Prefresh), a script of its own: `/__vitrine/preact-refresher.js`. */
import '@prefresh/core';
import { flush, isComponent } from '@prefresh/utils';
import { options } from './preact-of-project.ts';
import type { RefreshRuntime } from './refresh-runtime.ts';

/** Prefresh's global object. */
interface Runtime {
  register(type: unknown, id: string): void;
  sign(type: unknown, key: unknown, reset: unknown, hooks: unknown, status: unknown): unknown;
}

declare global {
  interface Window {
    __PREFRESH__?: Runtime;
  }
}

const refresher: RefreshRuntime = {
  register: (type, id) => window.__PREFRESH__?.register(type, id),
  createSigner() {
    let signed: unknown;
    let status: unknown = 'begin';
    return (type, key, forceReset, findHooks) => {
      signed ??= type;
      status = window.__PREFRESH__?.sign(type ?? signed, key, forceReset, findHooks, status);
      return type;
    };
  },
  isComponent,
  perform: flush,
  hooks: options,
};
window.__vitrine?.takeRefresher(refresher);
