/** Which entries do nothing as they are loaded, and so may be loaded unasked beside others. */
import { build, type Plugin } from 'esbuild';
import { createPlugin, entryPrefix, type BuildSubject } from './plugin.ts';
import { hasSideEffects } from './side-effects.ts';

/**
 * Of the given files: those that package.json calls free of side effects, or esbuild finds so. One
 * that exports nothing is there for what it does, whatever package.json says.
 */
export async function findHarmless(
  subject: BuildSubject,
  paths: readonly string[],
): Promise<Set<string>> {
  const declared = hasSideEffects(subject.files.json.sideEffects);
  const scripts = paths.filter((path) => /\.[cm]?[jt]sx?$/.test(path));
  const modules = scripts.filter(
    (path) => !subject.reader.isCommonjs(path) && hasExports(subject, path),
  );
  const harmless = new Set(modules.filter((path) => !declared(path)));
  const asked = subject.files.json.sideEffects === undefined ? modules : [];
  if (asked.length < 2) return harmless;
  for (const path of await leaveNothing(subject, asked)) harmless.add(path);
  return harmless;
}

export function hasExports({ reader }: BuildSubject, path: string): boolean {
  const { names, stars } = reader.readShape(path);
  return names.size > 0 || stars.size > 0;
}

/** A module that is imported for nothing and leaves no code behind had no effect. */
async function leaveNothing(subject: BuildSubject, paths: readonly string[]): Promise<string[]> {
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
    plugins: [importForNothing, createPlugin({ ...subject, inOrder: new Set(), warnings: new Set() })],
  });
  const silent = result.outputFiles.filter((file) => {
    const code = file.text
      .replaceAll(/^\/\/.*$/gm, '')
      .replaceAll(/^import "vitrine-package:(?![^"]*css")[^"]*";$/gm, '');
    return code.trim() === '';
  });
  return silent.flatMap((file) => paths[Number(file.path.slice(1, -3))] ?? []);
}

const importForNothing: Plugin = {
  name: 'for-nothing',
  setup(inner) {
    inner.onLoad({ filter: /.*/, namespace: 'entry' }, ({ path }) => ({
      contents: `import ${JSON.stringify(path)};`,
    }));
  },
};
