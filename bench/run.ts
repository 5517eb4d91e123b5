/** `npm run bench -- PREFIX… [--json]`: runs the benchmarks whose names start with a prefix. */
import {
  BenchUnavailableError,
  summarize,
  type Bench,
  type Count,
  type Counted,
  type BenchResult,
} from './bench.ts';
import { benches as editor } from './editor/index.ts';
import { benches as packages } from './packages/index.ts';
import { benches as pages } from './pages/index.ts';
import { benches as previews } from './previews/index.ts';
import { benches as realtime } from './realtime/index.ts';
import { benches as rest } from './rest/index.ts';
import { benches as sandbox } from './sandbox/index.ts';
import { benches as scale, counts } from './scale/index.ts';
import { benches as firstEdits } from './workspace/first-edits.ts';
import { benches as workspace } from './workspace/index.ts';

const prefixes = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const asJson = process.argv.includes('--json');
const all: readonly (Bench | Count)[] = [
  ...workspace,
  ...firstEdits,
  ...editor,
  ...scale,
  ...sandbox,
  ...previews,
  ...packages,
  ...rest,
  ...realtime,
  ...pages,
  ...counts,
];
const wanted = all.filter(
  ({ name }) => prefixes.length === 0 || prefixes.some((prefix) => name.startsWith(prefix)),
);

if (wanted.length === 0) {
  process.stderr.write(
    `No benchmark’s name starts with ${prefixes.join(' or ')}. Available: ${all.map(({ name }) => name).join(', ')}\n`,
  );
  process.exit(1);
}
for (const bench of wanted) {
  try {
    if ('run' in bench) {
      const figure = summarize(bench.name, await bench.run());
      say(asJson ? JSON.stringify(figure) : describe(figure));
    } else
      for (const counted of await bench.count())
        say(asJson ? JSON.stringify(counted) : describeCount(counted));
  } catch (error) {
    if (!(error instanceof BenchUnavailableError)) throw error;
    process.stderr.write(`${bench.name}: ${error.message}\n`);
    process.exitCode = 1;
  }
}
process.exit();

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function describeCount({ name, kB, parts }: Counted): string {
  const lines = parts.map((part) => `\n  ${part.kB.toFixed(1).padStart(8)} kB ${part.path}`);
  const files = parts.length === 1 ? '1 file' : `${parts.length} files`;
  return `${name.padEnd(24)} ${kB.toFixed(1)} kB of script in ${files}${lines.join('')}`;
}

function describe({
  name,
  p50,
  p90,
  p95,
  worst,
  unit,
  baseline,
  ratio,
  error,
  n,
}: BenchResult): string {
  const measure = unit === 'per-second' ? '/s' : unit;
  return `${name.padEnd(24)} ${p50} ${measure} (p90 ${p90}, p95 ${p95}, worst ${worst}), baseline ${baseline} ${measure}, ratio ${ratio} ± ${error}, n ${n}`;
}
