import fc from 'fast-check';
import { expect, it } from 'vitest';
import { findChangedRange } from '../src/changed-range.ts';

it('is what makes the one text the other, and no longer than it has to be', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 8 });
  fc.assert(
    fc.property(text, text, (before, after) => {
      const { start, end, newEnd } = findChangedRange(before, after);
      expect(before.slice(0, start) + after.slice(start, newEnd) + before.slice(end)).toBe(after);
      const [was, is] = [before.slice(start, end), after.slice(start, newEnd)];
      if (was === '' || is === '') return;
      expect(was[0]).not.toBe(is[0]);
      expect(was.at(-1)).not.toBe(is.at(-1));
    }),
  );
});
