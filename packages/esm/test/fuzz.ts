/** How many times as long as usual properties are looked for: `npm run endure -- fuzz` sets it. */
export const fuzz = Number(process.env.FUZZ ?? 1);
