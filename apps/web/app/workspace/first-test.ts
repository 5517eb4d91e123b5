/** The first test of a project: a name that is free, in the language that the project is written in. */
export function firstTest(paths: readonly string[]): { path: string; content: string } {
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
