/**
 * What `import … from 'vitest'` gets: vitest itself, in the version that is ours. What it does with
 * a bundler's help has none here and says so when it is called.
 */
import { vi } from 'vitest';

export * from 'vitest';

const cannotExchange =
  'The browser loads modules natively, so they can’t be mocked. Pass the dependency as an argument, or spy on an object’s method with vi.spyOn().';
const noEnvironment =
  'import.meta.env isn’t available because nothing is built. Pass the value as an argument.';

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
        throw new Error(`vi.${name}() isn’t supported in the playground. ${why}`);
      },
    ]),
  );
}
