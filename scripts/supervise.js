// @ts-check
/**
 * Runs the server and starts it again when it ends unexpectedly. Messages:
 *
 * - server → supervisor `{ type: 'ready', port }`: it serves requests on this port.
 * - supervisor → server `{ type: 'stop' }`: stop in order. The server does so, too, when the channel closes,
 *   because the supervisor has ended.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Failure, node, note, root } from './install.js';

/** Exit code of a server that is not to be restarted (EX_UNAVAILABLE): its database keeps ending. */
const unavailable = 69;
/** Number of unexpected ends within `windowMs` after which the server isn't started again. */
const maxCrashes = 5;
const windowMs = 60_000;

/**
 * Runs a server until a signal stops it. Then this process exits, with the server's exit code.
 * Rejects with a `Failure` if the server ends unexpectedly too often.
 * @param {URL} program
 */
export async function supervise(program) {
  /** Port of the first start, so that the URL stays the same. @type {number | undefined} */
  let port;
  /** @type {import('node:child_process').ChildProcess | undefined} */
  let server;
  let isStopping = false;
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    process.on(signal, () => {
      // A message, because Ctrl-C and systemd send the signal to the server, too, and its second one
      // ends it immediately.
      if (isStopping) server?.kill('SIGKILL');
      else if (server?.connected) server.send({ type: 'stop' });
      isStopping = true;
    });
  }
  /** Times of unexpected ends, in milliseconds since the epoch. @type {number[]} */
  let crashes = [];
  let reason = '';
  for (;;) {
    server = spawn(node, [fileURLToPath(program), ...process.argv.slice(2)], {
      cwd: root,
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
      env: {
        ...process.env,
        ...(port !== undefined && { PORT: String(port) }),
        ...(reason && { RESTARTED_AFTER: reason }),
      },
    });
    server.on('message', (/** @type {{ port: number }} */ ready) => (port ??= ready.port));
    const [code, signal] = await once(server, 'exit');
    // A server that was never ready has said why itself.
    if (isStopping || code === 0 || code === unavailable || port === undefined)
      process.exit(code ?? 1);
    reason = signal ?? `exit code ${code}`;
    crashes = [...crashes.filter((time) => time > Date.now() - windowMs), Date.now()];
    if (crashes.length >= maxCrashes)
      throw new Failure(
        `The server ended unexpectedly ${maxCrashes} times within a minute, last with ${reason}. It isn’t being restarted.`,
      );
    const pauseMs = 100 * crashes.length ** 2;
    note(`The server ended unexpectedly (${reason}). Restarting it in ${pauseMs / 1_000} s.`);
    await delay(pauseMs);
    if (isStopping) process.exit(0);
  }
}
