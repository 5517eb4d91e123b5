import { parsePackageUrl } from '../package-url.ts';
import { resolveExternal, findServedPackage, type ExternalModule } from '../served-package.ts';
import { findBuiltEntry, findBuiltModule, type BuildContext } from '../read-module.ts';
import type { SizeCache } from '../store/size-cache.ts';

/**
 * Measures how many bytes a page downloads for a package's modules at `paths` (".", "./client"),
 * compressed. Dependencies count, except for those that the project lists itself (`bases`), which have
 * their own sizes. Packages that are not built yet don't count, and bundling is not taken into account.
 */
export async function measureDownloadBytes(
  base: string,
  paths: readonly string[],
  bases: ReadonlySet<string>,
  builds: BuildContext & { readonly sizeCache: SizeCache },
): Promise<number> {
  const packageUrl = parsePackageUrl(base);
  if (packageUrl?.kind !== 'exact') throw new Error(`Not a package URL: ${base}`);
  const own = await findServedPackage(packageUrl, builds);
  const queue: ExternalModule[] = paths.map((path) => ({ served: own, path }));
  /** File URL → bytes. */
  const files = new Map<string, number>();
  const seen = new Set<string>();
  for (const { served, path } of queue) {
    const from = `${served.base} ${path}`;
    if (seen.has(from)) continue;
    seen.add(from);
    const built = await builds.packageBuilder.findBuilt(served.resolution);
    const entry = built && findBuiltEntry(built, path);
    if (built === undefined || entry === undefined) continue;
    const loaded = [entry.file, ...entry.chunks];
    const sizes = await builds.sizeCache.measure(built, loaded);
    for (const file of loaded) {
      const fileUrl = `${served.base}/${file}`;
      const module = findBuiltModule(built, file);
      if (module === undefined || files.has(fileUrl)) continue;
      files.set(fileUrl, sizes.get(file) ?? 0);
      for (const { specifier, how } of module.placeholders) {
        if (specifier === undefined || how === 'dynamic') continue;
        const external = await resolveExternal(specifier, served, builds);
        if (external === undefined) continue;
        const { base: other } = external.served;
        if (other === own.base || !bases.has(other)) queue.push(external);
      }
    }
  }
  return [...files.values()].reduce((sum, bytes) => sum + bytes, 0);
}
