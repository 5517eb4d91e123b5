import { statfs } from 'node:fs/promises';
import { createLog } from './log.ts';

/** Entry of the server process: starts an instance, prints its URL, and stops it on Ctrl-C. */
// Set before React is imported, which then selects its build.
process.env['NODE_ENV'] ??= 'production';
const { startInstance } = await import('./main.ts');
const { StartupError } = await import('@vitrine/backend');
const log = createLog((line) => process.stderr.write(line));
/** Exit code after which the server isn't restarted (EX_UNAVAILABLE). */
const unavailable = 69;

/** Stops the instance; before it is started, there is nothing to stop. */
let stop = (): void => process.exit(0);
// With `npm start`, the process that started this one says when to stop, and this one ends with it.
process.on('message', () => stop());
process.on('disconnect', () => stop());

try {
  const running = await startInstance(process.env, log);
  if (running.outboxLink !== null)
    process.stdout.write(
      `No mail server is configured (SMTP_URL). Emails are kept at ${running.outboxLink}\n` +
        'Anyone with this link can sign in as any user. Keep it secret.\n',
    );
  process.stdout.write(`Vitrine is ready at ${running.url}\n`);
  process.send?.({ type: 'ready', port: running.port });
  let closing: Promise<void> | undefined;
  const close = async (exitCode: number) => {
    await (closing ??= running.close());
    process.exit(exitCode);
  };
  stop = () => void close(0);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    // A second Ctrl-C finds no listener and ends the process immediately.
    process.once(signal, () => stop());
  }
  const reason = await running.failed;
  process.stderr.write(`${reason}\n`);
  await close(unavailable);
} catch (error) {
  process.stderr.write(`${await explain(error)}\n`);
  process.exit(1);
}

/** Formats an expected error as its message, and any other with its stack. */
async function explain(error: unknown): Promise<string> {
  if (!(error instanceof Error)) return String(error);
  if ('code' in error && error.code === 'ENOSPC') {
    const { bavail, bsize } = await statfs('.');
    return `The disk is full (${Math.round((bavail * bsize) / 1e6)} MB free). Free up some space and start again.`;
  }
  if (error instanceof StartupError) return error.message;
  return error.stack ?? error.message;
}
