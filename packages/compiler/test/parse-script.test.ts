import { describe, expect, it } from 'vitest';
import { parseScript } from '../src/script/parse-script.ts';

const parse = (lines: readonly string[]) =>
  parseScript(lines.join('\n'), { ecmaVersion: 'latest', sourceType: 'module' });

const declare = (count: number, kind = 'const') =>
  Array.from({ length: count }, (_, index) => `${kind} name${index} = ${index};`);

describe('names declared twice', () => {
  it.each([2, 31, 32, 33, 200])('are rejected after %i others', (count) => {
    const lines = declare(count);
    expect(parse(lines).body).toHaveLength(count);
    for (const again of ['name0', `name${count - 1}`])
      for (const kind of ['let', 'var', 'class'])
        expect(() =>
          parse([...lines, kind === 'class' ? `class ${again} {}` : `${kind} ${again};`]),
        ).toThrow(`Identifier '${again}' has already been declared`);
  });

  it('are allowed with var, and in separate blocks', () => {
    expect(() => parse([...declare(100, 'var'), ...declare(100, 'var')])).not.toThrow();
    expect(() => parse([...declare(100), `{ ${declare(100).join(' ')} }`])).not.toThrow();
    expect(() => parse(['try {} catch (name0) { var name0; }'])).not.toThrow();
  });
});

it('finds exported names among many, and undefined ones', () => {
  expect(() => parse([...declare(100), 'export { name0, name99 };'])).not.toThrow();
  expect(() => parse([...declare(100), 'export { name100 };'])).toThrow(
    "Export 'name100' is not defined",
  );
});

it('parses many names in linear time', () => {
  const time = (count: number) => {
    const lines = declare(count);
    const start = performance.now();
    parse(lines);
    return performance.now() - start;
  };
  time(2_500);
  const few = Math.min(time(2_500), time(2_500), time(2_500));
  expect(time(40_000)).toBeLessThan(few * 16 * 5);
});
