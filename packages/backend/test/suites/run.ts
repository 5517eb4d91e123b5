/**
 * `npm run suites -- CHECKOUT [SUITE…]`: runs the official clients' own tests against this backend.
 * CHECKOUT is a clone of supabase/supabase-js. In suites with mocked servers, only tests that sent
 * a request to ours count. Prints a line per suite, and exits with 1 when fewer pass than recorded.
 */
import { openSuiteServer } from './server.ts';
import { checkCheckout, suites, type Suite } from './suites.ts';
import { installTools, runSuite } from './workbench.ts';

const [checkout, ...names] = process.argv.slice(2);
if (checkout === undefined) {
  process.stderr.write(
    'npm run suites -- CHECKOUT [SUITE…], CHECKOUT a folder with supabase/supabase-js\n',
  );
  process.exit(1);
}
await checkCheckout(checkout);
await installTools();
const lines: string[] = [];
for (const suite of suites.filter(({ name }) => names.length === 0 || names.includes(name)))
  lines.push(await tell(checkout, suite));
process.stdout.write(`\n${lines.join('\n')}\n`);

/** Prints failures, and returns the suite's summary. */
async function tell(from: string, suite: Suite): Promise<string> {
  const server = await openSuiteServer(from, suite);
  const outcomes = await runSuite(from, suite, server);
  await server.close();
  const counted = outcomes.filter(({ reached }) => suite.hasNoMocks || reached);
  const passed = counted.filter((outcome) => outcome.passed).length;
  for (const { name, reason } of counted.filter((outcome) => !outcome.passed)) {
    process.stdout.write(`${suite.name}: ${name}\n  ${reason.replaceAll('\n', '\n  ')}\n`);
  }
  const isFewer = passed < suite.mark;
  if (isFewer) process.exitCode = 1;
  return `${suite.name}: ${passed} of ${counted.length} passed${isFewer ? `, fewer than the recorded ${suite.mark}` : ''}`;
}
