/** The two transports of previews, and how many of the tests run with each. */

const served = { transport: 'isolated-origin', isSrcdoc: false } as const;

export const bothTransports = [served, { transport: 'srcdoc', isSrcdoc: true }] as const;

/** Whether all tests run, as `npm run endure -- conformance` and `long` do; otherwise a part of them. */
export const isWhole = process.env['LONG'] !== undefined;

/**
 * Transports for tests that only depend on the compiler, which is the same for both. A third of the conformance
 * projects always runs with the srcdoc transport too.
 */
export const compiledTransports = isWhole ? bothTransports : [served];
