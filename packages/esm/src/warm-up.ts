import { linkTables, readLock, VitrineError, type LinkTable } from '@vitrine/project';
import type { Context } from './context.ts';

/**
 * Builds the packages of these locks that came with the installation, and Node's built-ins: one at a
 * time, behind everything else that the machine does, and while nobody waits for another.
 */
export async function warmUp(
  { obtainer, builtins, installedPackages }: Context,
  locks: readonly string[],
): Promise<void> {
  for (const table of [...listTables(locks), builtins]) {
    const { name, version, integrity } = table;
    // The registry is not asked for what nobody asked for.
    const isHere =
      table === builtins ||
      (await installedPackages.findFolder(name, version, integrity)) !== undefined;
    if (!isHere) continue;
    await obtainer.settle();
    try {
      await obtainer.build(table, {}, { isPatient: true });
    } catch (error) {
      // Whoever asks for it is told. One that is closing is busy for good.
      if (!(error instanceof VitrineError)) throw error;
      if (error.code === 'packages_busy') return;
    }
  }
}

/** Every package once; those of types alone have nothing to build. */
function listTables(locks: readonly string[]): LinkTable[] {
  const found = new Map<string, LinkTable>();
  for (const text of locks) {
    const lock = readLock(text);
    for (const table of lock ? linkTables(lock, 'development').values() : []) {
      const key = `${table.name}@${table.version}`;
      if (!table.name.startsWith('@types/') && !found.has(key)) found.set(key, table);
    }
  }
  return [...found.values()];
}
