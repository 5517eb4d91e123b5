import type { Connection } from './connection.ts';
import { resetLoopTimer } from './loop-limit.ts';

/** Reports modal dialogs: while one is open, the page can't respond to pings and is not hung. */
export function watchDialogs(connection: Connection): void {
  for (const name of ['alert', 'confirm', 'prompt', 'print'] as const) {
    const native: unknown = Reflect.get(window, name);
    if (typeof native !== 'function') continue;
    Reflect.set(window, name, (...args: unknown[]): unknown => {
      connection.send({ type: 'dialog', open: true });
      try {
        return Reflect.apply(native, window, args);
      } finally {
        resetLoopTimer();
        connection.send({ type: 'dialog', open: false });
      }
    });
  }
}
