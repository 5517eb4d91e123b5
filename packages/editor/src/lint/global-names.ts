/** The names that code finds where it runs: those of this page, or of this worker. */
export function listGlobalNames(): string[] {
  const names = new Set<string>();
  for (let from: object | null = globalThis; from; from = Object.getPrototypeOf(from))
    for (const name of Object.getOwnPropertyNames(from)) names.add(name);
  return [...names];
}
