/**
 * Module for `import … from 'vitest'`: the version of Vitest that we provide. Functions that need a bundler throw an
 * explanation.
 */
import { vi } from 'vitest';

export * from 'vitest';

const noMocking =
  'The browser loads modules natively, so they can’t be mocked. Pass the dependency as an argument, or spy on an object’s method with vi.spyOn().';
const noEnvironment =
  'Each module has an import.meta.env of its own. Pass the value as an argument.';

Object.assign(vi, {
  ...refuseAll(
    ['mock', 'doMock', 'unmock', 'doUnmock', 'importActual', 'importMock', 'resetModules'],
    noMocking,
  ),
  ...refuseAll(['stubEnv', 'unstubAllEnvs'], noEnvironment),
});

function refuseAll(names: readonly string[], why: string): Record<string, () => never> {
  return Object.fromEntries(
    names.map((name) => [
      name,
      () => {
        throw new Error(`vi.${name}() isn’t supported in the playground. ${why}`);
      },
    ]),
  );
}
