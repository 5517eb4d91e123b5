import { statfs } from 'node:fs/promises';
import '@vitrine/backend/driver-repair';
import { createLog } from './log.ts';

/** The process: starts, says when it is ready, and stops everything on Ctrl-C. */
// Before React is loaded: it chooses its build when it is.
process.env['NODE_ENV'] ??= 'production';
const { start } = await import('./main.ts');
const log = createLog((line) => process.stderr.write(line));

try {
  const running = await start(process.env, log);
  if (running.outboxLink !== null)
    process.stdout.write(
      `No mail server is configured (SMTP_URL). Emails are kept at ${running.outboxLink}\n` +
        'Anyone with this link can sign in as any user. Keep it secret.\n',
    );
  process.stdout.write(`Vitrine is ready at ${running.address}\n`);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      // A second Ctrl-C finds no listener and ends the process at once.
      void running.close().then(() => process.exit(0));
    });
  }
} catch (error) {
  process.stderr.write(`${await explain(error)}\n`);
  process.exitCode = 1;
}

/** One sentence for what was foreseen; the whole error for what was not. */
async function explain(error: unknown): Promise<string> {
  if (!(error instanceof Error)) return String(error);
  if ('code' in error && error.code === 'ENOSPC') {
    const { bavail, bsize } = await statfs('.');
    return `The disk is full (${Math.round((bavail * bsize) / 1e6)} MB free). Free up space and start again.`;
  }
  if (error.name === 'StartupError' || 'sentence' in error) return error.message;
  return error.stack ?? error.message;
}
