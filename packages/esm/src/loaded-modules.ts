/** All that modules load, as it would be served alone, read from the packages' builds. */
import { parse } from 'es-module-lexer';
import { builtinsAddress } from './builtins.ts';
import type { FamilyModule, FamilyModules } from './divide-modules.ts';
import { isOfBuild, readScript, type Builds } from './read-module.ts';

/** What throws as it is loaded, and packages that nobody declared, which may not be had. */
const mayBeAbsent = /^\/npm\/-\/(?:absent\/[^?]*$|undeclared\/)/;

/** Which imports of a module are kept, and which of these are read in turn. */
export interface Extent {
  readonly keeps: (address: string) => boolean;
  readonly reads: (address: string) => boolean;
}

/** All that some modules load. What cannot be built is left to be asked for. */
export async function readModules(
  starts: readonly string[],
  extent: Extent,
  builds: Builds,
): Promise<FamilyModules> {
  const found = new Map<string, Promise<FamilyModule | undefined>>();
  const visit = (address: string): Promise<unknown> => {
    if (found.has(address) || !extent.reads(address)) return Promise.resolve();
    const reading = readFamilyModule(address, extent, builds);
    found.set(address, reading);
    return reading.then((module) => Promise.all((module?.imports ?? []).map(visit)));
  };
  await Promise.all(starts.map(visit));
  const modules = new Map<string, FamilyModule>();
  for (const [address, reading] of found) {
    const module = await reading;
    if (module !== undefined) modules.set(address, module);
  }
  return modules;
}

async function readFamilyModule(
  address: string,
  { keeps }: Extent,
  builds: Builds,
): Promise<FamilyModule | undefined> {
  try {
    const script = await readScript(address, builds);
    const imports = listImports(script.text);
    return {
      ...script,
      imports: imports.filter(keeps),
      needsAbsent: imports.some((path) => mayBeAbsent.test(path)),
      needsNode: imports.some((path) => path.startsWith(`${builtinsAddress}/`)),
    };
  } catch (error) {
    if (!isOfBuild(error)) throw error;
    return undefined;
  }
}

/** What a script imports as it is loaded, each once, in order. */
function listImports(text: string): string[] {
  const found = parse(text)[0].flatMap((item) =>
    item.type === 'static' || item.type === 'reexport-star' ? [item.specifier] : [],
  );
  return [...new Set(found)];
}
