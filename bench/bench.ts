/**
 * A benchmark, measured next to a baseline: the least that any implementation must do.
 */
export interface Bench {
  /** `area/what`, e.g. `rest/read`. */
  readonly name: string;
  /** Measures both sides in turn, in at least five rounds. Resolves to all samples. */
  run(): Promise<Measurement>;
}

export interface Measurement {
  readonly sample: readonly number[];
  readonly baseline: readonly number[];
  /** More is better for `per-second`, less for all others. */
  readonly unit: 'ms' | 'MB' | 'kB' | 'per-second';
  /** Quantile of the ratio: the median by default, or the 95th percentile. */
  readonly ratioOf?: 'p50' | 'p95';
}

/** A measurement without a baseline: the bytes fetched by certain moments. */
export interface Count {
  readonly name: string;
  count(): Promise<readonly Counted[]>;
}

export interface Counted {
  readonly name: string;
  readonly kB: number;
  /** Largest first. */
  readonly parts: readonly { readonly path: string; readonly kB: number }[];
}

/** Number of rounds: the given number, or ROUNDS for a quick run. */
export function countRounds(usual: number): number {
  return Number(process.env['ROUNDS'] ?? usual);
}

/** A benchmark can't run; the message says what to do. */
export class BenchUnavailableError extends Error {}

/**
 * A benchmark's printed result. `ratio` is the sample divided by the baseline; `error` is its standard
 * error.
 */
export interface BenchResult {
  readonly name: string;
  readonly p50: number;
  readonly p90: number;
  readonly p95: number;
  /** Our worst sample. */
  readonly worst: number;
  readonly unit: Measurement['unit'];
  /** The baseline's median, or its p95 if the ratio compares those. */
  readonly baseline: number;
  readonly ratio: number;
  readonly error: number;
  readonly n: number;
}

/**
 * Computes quantiles, the ratio, and its standard error by bootstrap (1,000 resamples, fixed seed).
 */
export function summarize(
  name: string,
  { sample, baseline, unit, ratioOf = 'p50' }: Measurement,
): BenchResult {
  const random = mulberry32(1);
  /** The value that this share of the samples is better than. */
  const beyond = (part: number) => (unit === 'per-second' ? 1 - part : part);
  const compared = (samples: readonly number[]) =>
    quantile(samples, ratioOf === 'p50' ? 0.5 : beyond(0.95));
  const ratios = Array.from(
    { length: 1_000 },
    () => compared(resample(sample, random)) / compared(resample(baseline, random)),
  );
  return {
    name,
    p50: round(median(sample)),
    p90: round(quantile(sample, beyond(0.9))),
    p95: round(quantile(sample, beyond(0.95))),
    worst: round(quantile(sample, beyond(1))),
    unit,
    baseline: round(compared(baseline)),
    ratio: round(compared(sample) / compared(baseline)),
    error: round(deviation(ratios)),
    n: sample.length,
  };
}

export function median(samples: readonly number[]): number {
  return quantile(samples, 0.5);
}

function quantile(samples: readonly number[], q: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  const at = (sorted.length - 1) * q;
  const [low = Number.NaN, high = low] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
  return low + (high - low) * (at % 1);
}

function resample(samples: readonly number[], random: () => number): number[] {
  return samples.map(() => samples[Math.floor(random() * samples.length)] ?? Number.NaN);
}

function deviation(samples: readonly number[]): number {
  const mean = samples.reduce((sum, sample) => sum + sample, 0) / samples.length;
  return Math.sqrt(
    samples.reduce((sum, sample) => sum + (sample - mean) ** 2, 0) / (samples.length - 1),
  );
}

/** Rounds to three significant digits: 12.345 → 12.3, 0.91234 → 0.912. */
function round(value: number): number {
  return Number(value.toPrecision(3));
}

/** A seeded random generator, so that the same samples give the same error. */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
