/** Stands for parts of vitest that only its server and its benchmarks reach; they run nowhere here. */
export const EvaluatedModules = Object;
export const Bench = Object;
