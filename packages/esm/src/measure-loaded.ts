import { parsePackageAddress } from './address.ts';
import { findForeign, findPlacement, type ForeignModule } from './placement.ts';
import { entryAt, ownModule, type Builds } from './read-module.ts';
import type { Scale } from './scale.ts';

/**
 * Measures how many bytes a page downloads for a package's main module, compressed. Dependencies
 * count, except for those that the project lists itself (`bases`), which have their own sizes.
 * Packages that are not built yet don't count, and bundling is not taken into account.
 */
export async function measureLoaded(
  base: string,
  bases: ReadonlySet<string>,
  builds: Builds & { readonly scale: Scale },
): Promise<number> {
  const address = parsePackageAddress(base);
  if (address?.kind !== 'exact') throw new Error(`Not a package URL: ${base}`);
  const queue: ForeignModule[] = [{ placement: await findPlacement(address, builds), path: '.' }];
  /** File URL → bytes. */
  const files = new Map<string, number>();
  const seen = new Set<string>();
  for (const { placement, path } of queue) {
    const from = `${placement.base} ${path}`;
    if (seen.has(from)) continue;
    seen.add(from);
    const built = await builds.obtainer.findBuilt(placement.table);
    const entry = built && entryAt(built, path);
    if (built === undefined || entry === undefined) continue;
    const loaded = [entry.file, ...entry.chunks];
    const weights = await builds.scale.weigh(built, loaded);
    for (const file of loaded) {
      const own = `${placement.base}/${file}`;
      const module = ownModule(built, file);
      if (module === undefined || files.has(own)) continue;
      files.set(own, weights.get(file) ?? 0);
      for (const { specifier, how } of module.placeholders) {
        if (specifier === undefined || how === 'dynamic') continue;
        const external = await findForeign(specifier, placement, builds);
        if (external !== undefined && !bases.has(external.placement.base)) queue.push(external);
      }
    }
  }
  return [...files.values()].reduce((sum, bytes) => sum + bytes, 0);
}
