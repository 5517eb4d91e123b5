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
  /** `ms`: less is better. `per-second`: more is better. */
  readonly unit: 'ms' | 'per-second';
}

/** What a figure needs is not there; the message says what a person can do about it. */
export class CannotMeasure extends Error {}

/** What is printed for a figure. `ratio` is ours by floor; `error` is its standard error. */
export interface Figure {
  readonly name: string;
  readonly p50: number;
  readonly p90: number;
  readonly p95: number;
  readonly unit: Measured['unit'];
  readonly floor: number;
  readonly ratio: number;
  readonly error: number;
  readonly n: number;
}

/** Medians, their ratio, and its standard error by the bootstrap (1,000 resamples, fixed seed). */
export function summarise(name: string, { ours, floor, unit }: Measured): Figure {
  const random = mulberry32(1);
  const ratios = Array.from(
    { length: 1_000 },
    () => median(resample(ours, random)) / median(resample(floor, random)),
  );
  return {
    name,
    p50: round(median(ours)),
    p90: round(quantile(ours, unit === 'ms' ? 0.9 : 0.1)),
    p95: round(quantile(ours, unit === 'ms' ? 0.95 : 0.05)),
    unit,
    floor: round(median(floor)),
    ratio: round(median(ours) / median(floor)),
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
