// @ts-check
/** `npm run check`: types, lint, formatting and unused code. Stops at the first failure. */
import { fail, install, node, root, run } from './install.js';

const bin = `${root}node_modules`;

try {
  await install({ development: true });
  await run(node, [`${bin}/@react-router/dev/bin.cjs`, 'typegen', `${root}apps/web`]);
  await run(node, [`${bin}/tsc/bin/tsc`, '-b']);
  await run(node, [`${bin}/oxlint/bin/oxlint`, '--type-aware', '--deny-warnings', '--quiet']);
  await run(node, [`${bin}/prettier/bin/prettier.cjs`, '--check', '--log-level', 'warn', '.']);
  await run(node, [`${bin}/knip/bin/knip.js`, '--no-progress']);
} catch (error) {
  fail(error);
}
