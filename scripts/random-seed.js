// @ts-check
/** Gives fast-check the run’s seed, so that `SEED=…` draws the same values again. For Vitest’s `setupFiles`. */
import fc from 'fast-check';

const seed = process.env['SEED'];
if (seed !== undefined) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(seed) });
