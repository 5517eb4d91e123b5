/**
 * Sorts modules so that each imports only earlier ones, as creating blob URLs requires. Modules outside
 * `ids` count as already available.
 *
 * @returns Undefined for circular imports.
 */
export function orderModules(
  ids: ReadonlySet<string>,
  importsOf: (id: string) => readonly string[],
): string[] | undefined {
  const ordered = new Set<string>();
  const above = new Set<string>();
  const add = (id: string): boolean => {
    if (ordered.has(id) || !ids.has(id)) return true;
    if (above.has(id)) return false;
    above.add(id);
    const isDone = importsOf(id).every(add);
    above.delete(id);
    ordered.add(id);
    return isDone;
  };
  return [...ids].every(add) ? [...ordered] : undefined;
}
