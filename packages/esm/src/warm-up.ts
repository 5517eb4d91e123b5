import { VitrineError } from '@vitrine/project';
import { computeResolutions, type ResolutionTable } from './lockfile/resolution-hash.ts';
import { parseLockfile } from './lockfile/lockfile.ts';
import type { Context } from './context.ts';

/**
 * Builds the installed packages of these lockfiles and Node's built-in modules: one at a time, at
 * low priority, and only while no other build runs.
 */
export async function warmUp(
  { packageBuilder, builtins, installedPackages }: Context,
  lockfiles: readonly string[],
): Promise<void> {
  for (const resolution of [...listResolutions(lockfiles), builtins]) {
    const { name, version, integrity } = resolution;
    // The registry must not receive requests for packages that no user asked for.
    const isInstalled =
      resolution === builtins ||
      (await installedPackages.findFolder(name, version, integrity)) !== undefined;
    if (!isInstalled) continue;
    await packageBuilder.whenIdle();
    try {
      await packageBuilder.build(resolution, {}, { isBackground: true });
    } catch (error) {
      // A failure is reported to the next request for the package. `packages_busy` means that the
      // server is closing.
      if (!(error instanceof VitrineError)) throw error;
      if (error.code === 'packages_busy') return;
    }
  }
}

/**
 * Resolutions of all packages in the lockfiles, without duplicates. Packages of type declarations
 * have nothing to build.
 */
function listResolutions(lockfiles: readonly string[]): ResolutionTable[] {
  const found = new Map<string, ResolutionTable>();
  for (const text of lockfiles) {
    const lockfile = parseLockfile(text);
    for (const resolution of lockfile ? computeResolutions(lockfile, 'development').values() : []) {
      const key = `${resolution.name}@${resolution.version}`;
      if (!resolution.name.startsWith('@types/') && !found.has(key)) found.set(key, resolution);
    }
  }
  return [...found.values()];
}
