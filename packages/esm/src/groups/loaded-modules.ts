/**
 * Reads everything that a set of modules loads, from the packages' builds, with the text that each
 * module would be served with on its own.
 */
import { parse } from 'es-module-lexer';
import { builtinsBase } from '../builtins.ts';
import type { GroupModule, GroupModules } from './group-chunks.ts';
import { isBuildFailure, readModuleText, type BuildContext } from '../read-module.ts';

/**
 * URLs of missing packages, which throw when they load, and of undeclared packages, which may be
 * unavailable.
 */
const mayBeMissing = /^\/npm\/-\/(?:absent\/[^?]*$|undeclared\/)/;

/** Which imports of a module are recorded, and which of them are read in turn. */
interface ModuleFilter {
  readonly records: (url: string) => boolean;
  readonly follows: (url: string) => boolean;
}

/**
 * Reads the start modules and everything that they load. Modules that can't be built are left out.
 */
export async function readModules(
  starts: readonly string[],
  extent: ModuleFilter,
  builds: BuildContext,
): Promise<GroupModules> {
  const found = new Map<string, Promise<GroupModule | undefined>>();
  const visit = (url: string): Promise<unknown> => {
    if (found.has(url) || !extent.follows(url)) return Promise.resolve();
    const reading = readGroupModule(url, extent, builds);
    found.set(url, reading);
    return reading.then((module) => Promise.all((module?.imports ?? []).map(visit)));
  };
  await Promise.all(starts.map(visit));
  const modules = new Map<string, GroupModule>();
  for (const [url, reading] of found) {
    const module = await reading;
    if (module !== undefined) modules.set(url, module);
  }
  return modules;
}

async function readGroupModule(
  url: string,
  { records }: ModuleFilter,
  builds: BuildContext,
): Promise<GroupModule | undefined> {
  try {
    const script = await readModuleText(url, builds);
    const imports = listStaticImports(script.text);
    return {
      ...script,
      imports: imports.filter(records),
      needsMissing: imports.some((path) => mayBeMissing.test(path)),
      needsNode: imports.some((path) => path.startsWith(`${builtinsBase}/`)),
    };
  } catch (error) {
    if (!isBuildFailure(error)) throw error;
    return undefined;
  }
}

/** Static imports of a script, without duplicates, in order. */
function listStaticImports(text: string): string[] {
  const found = parse(text)[0].flatMap((item) =>
    item.type === 'static' || item.type === 'reexport-star' ? [item.specifier] : [],
  );
  return [...new Set(found)];
}
