/** One figure of `npm run bench`, measured beside a floor: the least that any implementation must do. */
export interface Bench {
  /** `area/what`, e.g. `rest/read`. */
  readonly name: string;
  /** Measures both sides in turn, at least five rounds, and gives every sample. */
  run(): Promise<Measured>;
}

export interface Measured {
  readonly ours: readonly number[];
  readonly floor: readonly number[];
  /** Of `per-second` more is better, of all others less. */
  readonly unit: 'ms' | 'MB' | 'kB' | 'per-second';
  /** What is compared: the medians, if left out, or what only one in twenty samples exceeds. */
  readonly ratioOf?: 'p50' | 'p95';
}

/** What has no floor: how much was fetched by certain moments. */
export interface Count {
  readonly name: string;
  count(): Promise<readonly Counted[]>;
}

export interface Counted {
  readonly name: string;
  readonly kB: number;
  /** The largest first. */
  readonly parts: readonly { readonly path: string; readonly kB: number }[];
}

/** How often both sides are measured: so often, or as ROUNDS says, for a quick look. */
export function countRounds(usual: number): number {
  return Number(process.env['ROUNDS'] ?? usual);
}

/** What a figure needs is not there; the message says what a person can do about it. */
export class CannotMeasure extends Error {}

/** What is printed for a figure. `ratio` is ours by floor; `error` is its standard error. */
export interface Figure {
  readonly name: string;
  readonly p50: number;
  readonly p90: number;
  readonly p95: number;
  /** The worst sample. */
  readonly worst: number;
  readonly unit: Measured['unit'];
  /** The floor's median, or its p95 where the ratio is of those. */
  readonly floor: number;
  readonly ratio: number;
  readonly error: number;
  readonly n: number;
}

/** Quantiles, the ratio, and its standard error by the bootstrap (1,000 resamples, fixed seed). */
export function summarise(name: string, { ours, floor, unit, ratioOf = 'p50' }: Measured): Figure {
  const random = mulberry32(1);
  /** The value that this part of the samples is better than. */
  const beyond = (part: number) => (unit === 'per-second' ? 1 - part : part);
  const compared = (samples: readonly number[]) =>
    quantile(samples, ratioOf === 'p50' ? 0.5 : beyond(0.95));
  const ratios = Array.from(
    { length: 1_000 },
    () => compared(resample(ours, random)) / compared(resample(floor, random)),
  );
  return {
    name,
    p50: round(median(ours)),
    p90: round(quantile(ours, beyond(0.9))),
    p95: round(quantile(ours, beyond(0.95))),
    worst: round(quantile(ours, beyond(1))),
    unit,
    floor: round(compared(floor)),
    ratio: round(compared(ours) / compared(floor)),
    error: round(deviation(ratios)),
    n: ours.length,
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

/** Three digits that mean something: 12.345 → 12.3, 0.91234 → 0.912. */
function round(value: number): number {
  return Number(value.toPrecision(3));
}

/** A small generator with a seed, so that the same samples give the same error. */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
