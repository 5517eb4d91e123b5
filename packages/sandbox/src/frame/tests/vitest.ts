/**
 * What `import … from 'vitest'` gets: vitest itself, in the version that is ours. What it does with
 * a bundler's help has none here and says so when it is called.
 */
import { vi } from 'vitest';

export * from 'vitest';

const cannotExchange =
  'Modules are loaded by the browser here and cannot be exchanged for others. Hand the dependency over as an argument, or watch an object’s method with vi.spyOn().';
const noEnvironment =
  'import.meta.env does not exist here, since nothing is built. Hand the value over as an argument.';

Object.assign(vi, {
  ...refuseAll(
    ['mock', 'doMock', 'unmock', 'doUnmock', 'importActual', 'importMock', 'resetModules'],
    cannotExchange,
  ),
  ...refuseAll(['stubEnv', 'unstubAllEnvs'], noEnvironment),
});

function refuseAll(names: readonly string[], why: string): Record<string, () => never> {
  return Object.fromEntries(
    names.map((name) => [
      name,
      () => {
        throw new Error(`vi.${name}() does not work in a playground. ${why}`);
      },
    ]),
  );
}
