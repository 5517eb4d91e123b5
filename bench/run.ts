/** `npm run bench -- PREFIX… [--json]`: a line per figure whose name begins with one of the prefixes. */
import { CannotMeasure, summarise, type Bench, type Figure } from './bench.ts';
import { benches as packages } from './packages/index.ts';
import { benches as pages } from './pages/index.ts';
import { benches as rest } from './rest/index.ts';
import { benches as sandbox } from './sandbox/index.ts';
import { benches as workspace } from './workspace/index.ts';

const prefixes = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const asJson = process.argv.includes('--json');
const all: readonly Bench[] = [...workspace, ...sandbox, ...packages, ...rest, ...pages];
const wanted = all.filter(
  ({ name }) => prefixes.length === 0 || prefixes.some((prefix) => name.startsWith(prefix)),
);

if (wanted.length === 0) {
  process.stderr.write(
    `No figure begins with ${prefixes.join(' or ')}. There are: ${all.map(({ name }) => name).join(', ')}\n`,
  );
  process.exit(1);
}
for (const bench of wanted) {
  try {
    const figure = summarise(bench.name, await bench.run());
    process.stdout.write(`${asJson ? JSON.stringify(figure) : describe(figure)}\n`);
  } catch (error) {
    if (!(error instanceof CannotMeasure)) throw error;
    process.stderr.write(`${bench.name}: ${error.message}\n`);
    process.exitCode = 1;
  }
}
process.exit();

function describe({ name, p50, p90, p95, unit, floor, ratio, error, n }: Figure): string {
  const measure = unit === 'ms' ? 'ms' : '/s';
  return `${name.padEnd(24)} ${p50} ${measure} (p90 ${p90}, p95 ${p95}), floor ${floor} ${measure}, ratio ${ratio} ± ${error}, n ${n}`;
}
