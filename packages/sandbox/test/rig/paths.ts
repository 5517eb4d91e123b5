/** The two ways in which a preview runs, and how much of the tests runs on them. */

const served = { path: 'served', isPortable: false } as const;

export const bothPaths = [served, { path: 'portable', isPortable: true }] as const;

/** Whether all is shown, as `npm run endure -- conformance` and `long` do; else a part of it. */
export const isWhole = process.env['LONG'] !== undefined;

/**
 * For what the compiler alone decides, which is the same one on both: of the portable path the table of
 * conformance shows a third in any case.
 */
export const compiledPaths = isWhole ? bothPaths : [served];
