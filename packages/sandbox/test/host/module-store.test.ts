import { toTextFiles } from '@vitrine/project';
import { expect, test } from 'vitest';
import { passthroughOutput } from '../../src/host/project-compiler.ts';
import { ModuleStore } from '../../src/host/module-store.ts';

/** Text of `main.js` with these imports as it is sent to a page once `lib.js` has a new version. */
function packMain(imports: readonly string[]): string | null | undefined {
  const moduleStore = new ModuleStore(toTextFiles([['main.js', "import '/lib.js'"]]));
  moduleStore.setOutput('main.js', { ...passthroughOutput, imports: [...imports] });
  moduleStore.setVersionQueries(new Map([['lib.js', 3]]));
  return moduleStore.pack(['main.js'])[0]?.code;
}

test('an import of a module with a new version gets its version query', () => {
  expect(packMain(['lib.js'])).toBe("import '/lib.js?t=3'");
});

test('an import that a page’s import map resolves stays unchanged', () => {
  expect(packMain([])).toBe(null);
});
