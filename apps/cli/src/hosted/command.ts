/*
 * `npm run check:hosted`: prints a line per check of the project at SUPABASE_URL. Exits with 1 when
 * a check fails. See docs/operations.md.
 */
import { resolve } from 'node:path';
import { checkHostedProject } from './checks.ts';

const env = process.env;
const url = env['SUPABASE_URL'];
const publishableKey = env['SUPABASE_PUBLISHABLE_KEY'];
const secretKey = env['SUPABASE_SECRET_KEY'];

if (!url || !publishableKey || !secretKey || !URL.canParse(url)) {
  process.stderr.write(
    'Set SUPABASE_URL (https://…), SUPABASE_PUBLISHABLE_KEY, and SUPABASE_SECRET_KEY. Set HOSTED_URL as well to compare migrations.\n',
  );
  process.exitCode = 2;
} else {
  const counts = { ok: 0, failed: 0, skipped: 0 };
  const migrationsDir = resolve(import.meta.dirname, '../../../../supabase/migrations');
  // An empty variable counts as unset.
  const databaseUrl = env['HOSTED_URL'] || undefined;
  const options = { url, publishableKey, secretKey, databaseUrl, migrationsDir };
  let isStopped = false;
  // A second SIGINT exits at once, and leaves the test users behind.
  process.once('SIGINT', () => {
    isStopped = true;
    process.stderr.write('Deleting the test users, then stopping…\n');
  });
  for await (const { name, outcome, detail } of checkHostedProject(options)) {
    counts[outcome] += 1;
    process.stdout.write(`${outcome.padEnd(7)} ${name}${detail && `: ${detail}`}\n`);
    if (isStopped) break;
  }
  const { ok, failed, skipped } = counts;
  process.stdout.write(`${ok} ok, ${failed} failed, ${skipped} skipped\n`);
  if (isStopped) process.exitCode = 130;
  else if (failed > 0) process.exitCode = 1;
}
