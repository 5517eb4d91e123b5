/** Finds entries without side effects, which may be loaded together with others. */
import { build, type Plugin } from 'esbuild';
import { createPackagePlugin, entryPrefix } from './package-plugin.ts';
import { createSideEffectTest } from './side-effects.ts';
import type { BuildSubject } from './build-subject.ts';

/**
 * Of the given files, those that package.json declares free of side effects, or that esbuild finds
 * to be. A module that exports nothing exists for its effects, whatever package.json says.
 */
export async function findSideEffectFree(
  subject: BuildSubject,
  paths: readonly string[],
): Promise<Set<string>> {
  const declared = createSideEffectTest(subject.files.json.sideEffects);
  const scripts = paths.filter((path) => /\.[cm]?[jt]sx?$/.test(path));
  const modules = scripts.filter(
    (path) => !subject.reader.isCommonjs(path) && hasExports(subject, path),
  );
  const harmless = new Set(modules.filter((path) => !declared(path)));
  const undeclared = subject.files.json.sideEffects === undefined ? modules : [];
  if (undeclared.length < 2) return harmless;
  for (const path of await findDroppedModules(subject, undeclared)) harmless.add(path);
  return harmless;
}

/** Whether a module exports anything. */
export function hasExports({ reader }: BuildSubject, path: string): boolean {
  const { names, starExports } = reader.readExports(path);
  return names.size > 0 || starExports.size > 0;
}

/**
 * Modules that leave no code behind when they are imported without using any export. They had no
 * effect.
 */
async function findDroppedModules(
  subject: BuildSubject,
  paths: readonly string[],
): Promise<string[]> {
  const result = await build({
    entryPoints: paths.map((path, index) => ({ in: entryPrefix + path, out: String(index) })),
    bundle: true,
    write: false,
    format: 'esm',
    absWorkingDir: '/',
    outdir: '/',
    jsx: 'automatic',
    tsconfigRaw: {},
    logLevel: 'silent',
    plugins: [
      importWithoutNames,
      createPackagePlugin({ ...subject, inOrder: new Set(), warnings: new Set() }),
    ],
  });
  const dropped = result.outputFiles.filter((file) => {
    const code = file.text
      .replaceAll(/^\/\/.*$/gm, '')
      .replaceAll(/^import "vitrine-package:(?![^"]*css")[^"]*";$/gm, '');
    return code.trim() === '';
  });
  return dropped.flatMap((file) => paths[Number(file.path.slice(1, -3))] ?? []);
}

const importWithoutNames: Plugin = {
  name: 'for-nothing',
  setup(inner) {
    inner.onLoad({ filter: /.*/, namespace: 'entry' }, ({ path }) => ({
      contents: `import ${JSON.stringify(path)};`,
    }));
  },
};
