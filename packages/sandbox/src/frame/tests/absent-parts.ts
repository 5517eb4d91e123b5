/** Stands in for parts of Vitest that only its server and benchmarks use. */
export const EvaluatedModules = Object;
export const Bench = Object;
