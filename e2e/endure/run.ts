/**
 * The long runs, each ending with 1 when something is not as it should be:
 *
 *   npm run endure                kills of the server and of PostgreSQL (KILLS, SEED)
 *   npm run endure -- packages    182 packages of the registry, in Chromium
 */
import { runKills } from './kills.ts';
import { runPackages } from './packages.ts';

const [what = 'kills'] = process.argv.slice(2);
if (what !== 'kills' && what !== 'packages') throw new Error(`kills or packages, not ${what}`);
const isRight = what === 'kills' ? await endureKills() : await runPackages();
process.exit(isRight ? 0 : 1);

async function endureKills(): Promise<boolean> {
  const rounds = Number(process.env['KILLS'] ?? 200);
  const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000);
  const { acknowledged, wrong, kills } = await runKills(rounds, seed);
  process.stdout.write(
    `kills (seed ${seed}): ${kills.server} of the server, ${kills.postgres} of PostgreSQL; ${acknowledged} saves acknowledged, ${wrong.length} wrong\n`,
  );
  return wrong.length === 0;
}
