/** Example test with an unused file name, in the project's language. */
export function createExampleTest(paths: readonly string[]): { path: string; content: string } {
  const ending = paths.some((path) => /\.tsx?$/.test(path)) ? 'ts' : 'js';
  const names = Array.from({ length: paths.length + 1 }, (_, count) =>
    count === 0 ? `script.test.${ending}` : `script-${count + 1}.test.${ending}`,
  );
  const path = names.find((name) => !paths.includes(name)) ?? `script.test.${ending}`;
  return { path, content };
}

const content = `import { expect, test } from 'vitest';

test('adds', () => {
  expect(1 + 2).toBe(3);
});
`;
