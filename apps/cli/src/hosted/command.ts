import { migrationsDir } from '../instance.ts';
import { CommandError, printError, printLine } from '../terminal.ts';
import { checkHostedProject } from './checks.ts';

/** Prints a line per check. Sets the exit code 1 if one failed, and 130 after SIGINT. */
export async function checkHosted(): Promise<void> {
  const {
    SUPABASE_URL: url,
    SUPABASE_PUBLISHABLE_KEY: publishableKey,
    SUPABASE_SECRET_KEY: secretKey,
  } = process.env;
  if (!url || !publishableKey || !secretKey || !URL.canParse(url)) {
    throw new CommandError(
      'Set SUPABASE_URL (https://…), SUPABASE_PUBLISHABLE_KEY, and SUPABASE_SECRET_KEY. Set HOSTED_URL as well to compare migrations.',
      { exitCode: 2 },
    );
  }
  const counts = { ok: 0, failed: 0, skipped: 0 };
  // An empty variable counts as unset.
  const databaseUrl = process.env['HOSTED_URL'] || undefined;
  const options = { url, publishableKey, secretKey, databaseUrl, migrationsDir };
  let isStopped = false;
  // A second SIGINT exits at once, and leaves the test users behind.
  process.once('SIGINT', () => {
    isStopped = true;
    printError('Deleting the test users, then stopping…');
  });
  for await (const { name, outcome, detail } of checkHostedProject(options)) {
    counts[outcome] += 1;
    printLine(`${outcome.padEnd(7)} ${name}${detail && `: ${detail}`}`);
    if (isStopped) break;
  }
  printLine(`${counts.ok} ok, ${counts.failed} failed, ${counts.skipped} skipped`);
  if (isStopped) process.exitCode = 130;
  else if (counts.failed > 0) process.exitCode = 1;
}
