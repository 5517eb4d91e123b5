/** `npm run endure`: the long runs. Each prints a line and fails the whole when it is not as it should be. */
import { runKills } from './kills.ts';

const rounds = Number(process.env['KILLS'] ?? 200);
const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000);
const { acknowledged, wrong, kills } = await runKills(rounds, seed);
process.stdout.write(
  `kills (seed ${seed}): ${kills.server} of the server, ${kills.postgres} of PostgreSQL; ${acknowledged} saves acknowledged, ${wrong.length} wrong\n`,
);
process.exit(wrong.length === 0 ? 0 : 1);
