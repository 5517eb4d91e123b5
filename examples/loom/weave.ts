/**
 * A draft of a loom with four shafts. Each thread of the warp hangs on one shaft, each row of the
 * weft presses one treadle, and a treadle lifts some of the shafts.
 */
export interface Draft {
  /** By thread of the warp: its shaft. */
  threading: number[];
  /** By row of the weft: its treadle. */
  treadling: number[];
  /** By treadle: which shafts it lifts. */
  tieUp: boolean[][];
}

export const shafts = 4;
export const threads = 32;
export const rows = 32;

/** Whether the warp lies on top where a row crosses a thread. */
export function isWarpUp({ threading, treadling, tieUp }: Draft, row: number, thread: number) {
  return tieUp[treadling[row] ?? 0]?.[threading[thread] ?? 0] ?? false;
}

const zigzag = [0, 1, 2, 3, 2, 1];
const repeat = (steps: number[], length: number) =>
  Array.from({ length }, (_, index) => steps[index % steps.length] ?? 0);
const lifting = (...treadles: number[][]) =>
  treadles.map((lifted) => Array.from({ length: shafts }, (_, shaft) => lifted.includes(shaft)));

/** Well-known weaves, by name. */
export const weaves: Record<string, () => Draft> = {
  Plain: () => ({
    threading: repeat([0, 1, 2, 3], threads),
    treadling: repeat([0, 1], rows),
    tieUp: lifting([0, 2], [1, 3], [0, 2], [1, 3]),
  }),
  Twill: () => ({
    threading: repeat([0, 1, 2, 3], threads),
    treadling: repeat([0, 1, 2, 3], rows),
    tieUp: lifting([0, 1], [1, 2], [2, 3], [3, 0]),
  }),
  Herringbone: () => ({
    threading: repeat(zigzag, threads),
    treadling: repeat([0, 1, 2, 3], rows),
    tieUp: lifting([0, 1], [1, 2], [2, 3], [3, 0]),
  }),
  Diamonds: () => ({
    threading: repeat(zigzag, threads),
    treadling: repeat(zigzag, rows),
    tieUp: lifting([0, 1], [1, 2], [2, 3], [3, 0]),
  }),
};
