// @ts-check
/** Vitest setup file: sets fast-check's seed from `SEED`, to reproduce a run. */
import fc from 'fast-check';

const seed = process.env['SEED'];
if (seed !== undefined) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(seed) });
