/** A project whose tests use what vitest offers, one thing each, and how each has to come out. */
export const interfaceProject: Record<string, string> = {
  'a-order.test.ts': `import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
const order: string[] = [];
beforeAll(() => void order.push('all'));
beforeEach(() => { order.push('each'); return () => void order.push('cleanup'); });
afterEach(() => void order.push('after'));
describe('outer', () => {
  beforeEach(() => void order.push('inner each'));
  it('first', () => expect(order).toEqual(['all', 'each', 'inner each']));
  it('second', async () => {
    await Promise.resolve();
    expect(order.slice(3)).toEqual(['after', 'cleanup', 'each', 'inner each']);
  });
});
describe('modes', () => {
  it.skip('skipped', () => { throw new Error('never'); });
  it.todo('later');
  it.fails('fails as it should', () => expect(1).toBe(2));
  it.skipIf(true)('skipped by a condition', () => { throw new Error('never'); });
  it.runIf(true)('run by a condition', () => undefined);
  it('skips itself', ({ skip }) => skip());
  test.concurrent('beside others', async () => undefined);
});
it.each([[1, 1, 2], [2, 3, 5]])('%i + %i is %i', (a, b, sum) => expect(a + b).toBe(sum));
it.for([{ name: 'Ada' }])('knows $name', ({ name }) => expect(name).toBe('Ada'));
describe.each(['x', 'y'])('suite %s', (letter) => { it('has its letter', () => expect(letter).toHaveLength(1)); });
`,
  'b-only.test.js': `import { describe, expect, it } from 'vitest';
it('not this one', () => { throw new Error('never'); });
it.only('this one', () => expect(true).toBe(true));
`,
  'c-matchers.test.ts': `import { assert, expect, it } from 'vitest';
it('compares', () => {
  expect({ a: [1, { b: 2 }] }).toEqual({ a: [1, { b: expect.any(Number) }] });
  expect([1, 2, 3]).toContain(2);
  expect('playground').toMatch(/ground$/);
  expect(() => { throw new TypeError('no'); }).toThrow(TypeError);
  expect(0.1 + 0.2).toBeCloseTo(0.3);
  expect({ a: 1, b: 2 }).toMatchObject({ a: 1 });
  expect(new Map([[1, 2]])).toStrictEqual(new Map([[1, 2]]));
  assert.equal(1, 1);
});
it('waits', async () => {
  await expect(Promise.resolve(1)).resolves.toBe(1);
  await expect(Promise.reject(new Error('no'))).rejects.toThrow('no');
  let tries = 0;
  await expect.poll(() => ++tries).toBe(3);
});
it('counts its assertions', () => { expect.assertions(2); expect(1).toBe(1); });
it('extends', () => {
  expect.extend({ toBeEven: (n: number) => ({ pass: n % 2 === 0, message: () => n + ' is odd' }) });
  (expect(4) as any).toBeEven();
});
it('goes on softly', () => { expect.soft(1).toBe(2); expect.soft(2).toBe(3); });
it('takes too long', { timeout: 40 }, () => new Promise(() => undefined));
let tries = 0;
it('is tried again', { retry: 2 }, () => { tries += 1; expect(tries).toBe(3); });
`,
  'd-spies.test.ts': `import { afterEach, expect, it, onTestFinished, test, vi } from 'vitest';
afterEach(() => vi.useRealTimers());
it('watches', () => {
  const made = vi.fn((n: number) => n * 2);
  expect(made(2)).toBe(4);
  expect(made).toHaveBeenCalledExactlyOnceWith(2);
  const object = { name: () => 'real' };
  vi.spyOn(object, 'name').mockReturnValue('stub');
  expect(object.name()).toBe('stub');
  vi.restoreAllMocks();
  expect(object.name()).toBe('real');
});
it('moves time', () => {
  vi.useFakeTimers({ now: new Date('2020-01-01') });
  const called = vi.fn();
  setTimeout(called, 60_000);
  vi.advanceTimersByTime(60_000);
  expect(called).toHaveBeenCalledOnce();
  expect(new Date().getFullYear()).toBe(2020);
});
it('waits for something', async () => {
  let ready = false;
  setTimeout(() => { ready = true; }, 20);
  await vi.waitFor(() => expect(ready).toBe(true));
});
let isFinished = false;
it('tidies up', () => onTestFinished(() => { isFinished = true; }));
it('has been tidied up', () => expect(isFinished).toBe(true));
const withList = test.extend<{ list: number[] }>({ list: async ({}, use) => { await use([1]); } });
withList('has fixtures', ({ list }) => expect(list).toEqual([1]));
it('stubs globals', () => {
  vi.stubGlobal('answer', 42);
  expect((globalThis as any).answer).toBe(42);
  vi.unstubAllGlobals();
});
it('says what it cannot do', () => { vi.mock('./nothing'); });
`,
  'e-globals.spec.js': `describe('globals', () => { it('are there', () => expect(vi.fn()).not.toHaveBeenCalled()); });
`,
  'f-page.test.jsx': `/** @jsxRuntime classic @jsx make */
import { screen } from '@testing-library/dom';
import userEvent from '@testing-library/user-event';
import '@testing-library/jest-dom/vitest';
import { beforeEach, expect, it } from 'vitest';
import './page.css';
import words from './words.json';
function make(tag, props, ...children) {
  const element = Object.assign(document.createElement(tag), props);
  element.append(...children);
  return element;
}
beforeEach(() => document.body.replaceChildren());
it('clicks', async () => {
  const button = <button onclick={() => { button.textContent = words.after; }}>Press</button>;
  document.body.append(button);
  await userEvent.click(screen.getByRole('button', { name: 'Press' }));
  expect(button).toHaveTextContent('pressed');
  expect(button).toHaveFocus();
});
it('types', async () => {
  document.body.append(<label>Name <input /></label>);
  await userEvent.type(screen.getByLabelText('Name'), 'Ada');
  expect(screen.getByRole('textbox')).toHaveValue('Ada');
  await userEvent.tab();
  expect(document.body).toHaveFocus();
});
it('is drawn', () => {
  document.body.append(<p className="red">Red</p>);
  expect(getComputedStyle(screen.getByText('Red')).color).toBe('rgb(255, 0, 0)');
  expect(screen.getByText('Red').getBoundingClientRect().height).toBeGreaterThan(0);
});
`,
  'page.css': '.red { color: rgb(255, 0, 0) }',
  'words.json': '{ "after": "pressed" }',
};

const order = 'a-order.test.ts';
const matchers = 'c-matchers.test.ts';
const spies = 'd-spies.test.ts';
const dom = 'f-page.test.jsx';

export const wantedOfInterface = [
  `${order} > outer > first: passed`,
  `${order} > outer > second: passed`,
  `${order} > modes > skipped: skipped`,
  `${order} > modes > later: todo`,
  `${order} > modes > fails as it should: passed`,
  `${order} > modes > skipped by a condition: skipped`,
  `${order} > modes > run by a condition: passed`,
  `${order} > modes > skips itself: skipped`,
  `${order} > modes > beside others: passed`,
  `${order} > 1 + 1 is 2: passed`,
  `${order} > 2 + 3 is 5: passed`,
  `${order} > knows Ada: passed`,
  `${order} > suite x > has its letter: passed`,
  `${order} > suite y > has its letter: passed`,
  'b-only.test.js > not this one: skipped',
  'b-only.test.js > this one: passed',
  `${matchers} > compares: passed`,
  `${matchers} > waits: passed`,
  `${matchers} > counts its assertions: failed`,
  `${matchers} > counts its assertions! expected number of assertions to be 2, but got 1`,
  `${matchers} > extends: passed`,
  `${matchers} > goes on softly: failed`,
  `${matchers} > goes on softly! expected 1 to be 2 // Object.is equality`,
  `${matchers} > goes on softly! expected 2 to be 3 // Object.is equality`,
  `${matchers} > takes too long: failed`,
  `${matchers} > takes too long! Test timed out in 40ms.`,
  `${matchers} > is tried again: passed`,
  `${spies} > watches: passed`,
  `${spies} > moves time: passed`,
  `${spies} > waits for something: passed`,
  `${spies} > tidies up: passed`,
  `${spies} > has been tidied up: passed`,
  `${spies} > has fixtures: passed`,
  `${spies} > stubs globals: passed`,
  `${spies} > says what it cannot do: failed`,
  `${spies} > says what it cannot do! vi.mock() isn’t supported in the playground. The browser loads modules natively, so they can’t be mocked. Pass the dependency as an argument, or spy on an object’s method with vi.spyOn().`,
  'e-globals.spec.js > globals > are there: passed',
  `${dom} > clicks: passed`,
  `${dom} > types: passed`,
  `${dom} > is drawn: passed`,
];
