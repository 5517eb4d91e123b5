/** Compiles files of small projects like the server, and finds positions in the output. */
import {
  compileFile,
  createModuleContext,
  createPositionMapper,
  readProjectConfig,
} from '../src/index.ts';
import type { CompiledFile } from '../src/index.ts';
import type { TransformScript } from '../src/script/transform-script.ts';
import { transformScript } from '../src/native.ts';

export const origin = 'http://vitrine.localhost:4000';

const lock = JSON.stringify({
  lockfileVersion: 3,
  packages: {
    '': { dependencies: { vue: '3', svelte: '5' } },
    ...Object.fromEntries(
      Object.entries({ vue: '3.5.45', svelte: '5.57.3' }).map(([name, version]) => [
        `node_modules/${name}`,
        { version, integrity: `sha512-${'a'.repeat(86)}==` },
      ]),
    ),
  },
});

/** Compiles the first file. Adds a lockfile with Vue and Svelte unless the files include one. */
export function compileFirst(
  files: Record<string, string>,
  transform: TransformScript = transformScript,
): Promise<CompiledFile> {
  const texts = new Map(
    Object.entries({ ...files, 'package-lock.json': files['package-lock.json'] ?? lock }),
  );
  const context = createModuleContext(readProjectConfig(texts), {
    origin,
    fullExportUrls: new Set(),
  });
  const [path = '', text = ''] = [...texts][0] ?? [];
  return compileFile({ path, text }, context, texts, {
    loadTransform: () => Promise.resolve(transform),
    loadTailwindSheets: () => Promise.resolve(new Map()),
  });
}

/** Maps the position of a word in the code to the source. The code must contain it once. */
export function locationOf({ code = '', map }: CompiledFile, word: string) {
  const parts = code.split(word);
  if (parts.length !== 2) throw new Error(`“${word}” is there ${parts.length - 1} times:\n${code}`);
  const before = (parts[0] ?? '').split('\n');
  const column = (before.at(-1) ?? '').length + 1;
  return createPositionMapper(map?.mappings ?? '')({ line: before.length, column });
}

/** Returns the position of the first occurrence of a word. */
export function locationIn(text: string, word: string) {
  const before = text.slice(0, text.indexOf(word)).split('\n');
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}
