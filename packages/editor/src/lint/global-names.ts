/** Names of the globals where this runs: in a page or a worker. */
export function listGlobalNames(): string[] {
  const names = new Set<string>();
  for (let scope: object | null = globalThis; scope; scope = Object.getPrototypeOf(scope))
    for (const name of Object.getOwnPropertyNames(scope)) names.add(name);
  return [...names];
}
