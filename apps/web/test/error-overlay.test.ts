import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { extractExcerpt } from '../app/workspace/preview/excerpt.ts';
import type { ListedProblem } from '../app/workspace/problems/problems.ts';
import { ErrorOverlayState } from '../app/workspace/preview/error-overlay-state.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const problem = (message: string, more: Partial<ListedProblem> = {}): ListedProblem => ({
  kind: 'syntax',
  path: 'a.js',
  line: 1,
  column: 1,
  message,
  ...more,
});

describe('the error overlay', () => {
  test('appears at once when nobody is typing', () => {
    const shown = new ErrorOverlayState();
    shown.setProblems([problem('One.')]);
    expect(shown.current.get()?.message).toBe('One.');
  });

  test('waits for a pause of 0.8 s in typing, and disappears at once with its cause', () => {
    const shown = new ErrorOverlayState();
    for (let letter = 0; letter < 5; letter += 1) {
      shown.onEdit();
      shown.setProblems([problem(`Broken in another way: ${letter}.`)]);
      vi.advanceTimersByTime(700);
      expect(shown.current.get()).toBe(null);
    }
    vi.advanceTimersByTime(100);
    expect(shown.current.get()?.message).toBe('Broken in another way: 4.');
    shown.onEdit();
    shown.setProblems([]);
    expect(shown.current.get()).toBe(null);
    vi.advanceTimersByTime(5_000);
    expect(shown.current.get()).toBe(null);
  });

  test('stays, at its new line, while the user types above it', () => {
    const shown = new ErrorOverlayState();
    shown.setProblems([problem('One.', { line: 3 })]);
    shown.onEdit();
    shown.setProblems([problem('One.', { line: 4 })]);
    expect(shown.current.get()?.line).toBe(4);
  });

  test('shows the newest error, never a warning', () => {
    const shown = new ErrorOverlayState();
    shown.setProblems([problem('Old.')]);
    shown.setProblems([problem('Old.'), problem('New.'), problem('Hm.', { severity: 'warning' })]);
    expect(shown.current.get()?.message).toBe('New.');
    shown.setProblems([problem('Old.'), problem('Hm.', { severity: 'warning' })]);
    expect(shown.current.get()?.message).toBe('Old.');
  });

  test('prefers a compile error over errors that result from it', () => {
    const shown = new ErrorOverlayState();
    const cause = problem('Broken.');
    const fails = problem('Fails.', { kind: 'error', path: 'b.js' });
    shown.setProblems([fails]);
    shown.setProblems([cause, fails]);
    expect(shown.current.get()?.message).toBe('Broken.');
    shown.setProblems([cause, problem('Fails too.', { kind: 'error', path: 'c.js' }), fails]);
    expect(shown.current.get()?.message).toBe('Broken.');
    shown.dismiss();
    shown.setProblems([cause, problem('Fails again.', { kind: 'error', path: 'd.js' })]);
    expect(shown.current.get()?.message).toBe('Fails again.');
  });

  test('shows a dismissed error again only after it was fixed once', () => {
    const shown = new ErrorOverlayState();
    shown.setProblems([problem('One.')]);
    shown.dismiss();
    shown.setProblems([problem('One.', { line: 2 })]);
    expect(shown.current.get()).toBe(null);
    shown.setProblems([]);
    shown.setProblems([problem('One.')]);
    expect(shown.current.get()?.message).toBe('One.');
  });
});

test('the error overlay shows a package instead of the load error it causes, not of a missing file', () => {
  const failed = problem('fsx can’t be built.', { kind: 'package', path: 'package.json' });
  const unloaded = problem('main.js failed to load.', { kind: 'resource', module: 'main.js' });
  const missing = problem('Can’t find “index.js”.', { kind: 'resource', path: 'index.html' });
  const shown = new ErrorOverlayState();
  shown.setProblems([unloaded, failed]);
  expect(shown.current.get()).toBe(failed);
  shown.close();
  shown.setProblems([missing, failed]);
  expect(shown.current.get()).toBe(missing);
});

describe('the code excerpt', () => {
  const text = 'a;\n  b;\n  call(missing);\n  d;\ne;\n';

  test('shows two lines on each side and highlights the word at the column', () => {
    const lines = extractExcerpt(text, { line: 3, column: 8 });
    expect(lines.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5]);
    expect(lines[2]).toEqual({ number: 3, before: '  call(', highlight: 'missing', after: ');' });
  });

  test('removes the common indentation', () => {
    const lines = extractExcerpt('    a;\n      b;\n', { line: 2, column: 7 });
    expect(lines[1]).toEqual({ number: 2, before: '  ', highlight: 'b', after: ';' });
  });

  test('shows the relevant part of a long line and highlights its end', () => {
    const long = `${'x'.repeat(300)}y`;
    const [line] = extractExcerpt(long, { line: 1, column: 302 });
    expect(line?.highlight).toBe(' ');
    expect(line && line.before.length).toBeLessThan(121);
  });

  test('is empty if the location is unknown', () => {
    expect(extractExcerpt(text, { line: 0, column: 0 })).toEqual([]);
    expect(extractExcerpt(text, { line: 99, column: 1 })).toEqual([]);
  });
});
