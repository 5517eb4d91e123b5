/** Factor for the number of runs of property tests; set by `npm run endure -- fuzz`. */
export const fuzz = Number(process.env.FUZZ ?? 1);
