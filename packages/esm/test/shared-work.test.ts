import { VitrineError } from '@vitrine/project';
import { expect, test } from 'vitest';
import { createSharedWork } from '../src/shared-work.ts';

/** Goes on until it is ended. */
const endless = (signal: AbortSignal) =>
  new Promise<string>((_, fail) => signal.addEventListener('abort', () => fail(signal.reason)));

const codeOf = (error: unknown) => (error instanceof VitrineError ? error.code : error);

test('what was called off ends when the last one who waits has left, unless it is wanted anew', async () => {
  const work = createSharedWork<string>();
  const people = [new AbortController(), new AbortController()];
  const waits = people.map(({ signal }) => work.join('a', endless, signal).catch(codeOf));
  people[0]?.abort();
  work.callOff('a');
  expect(work.isUnderWay('a')).toBe(true);
  people[1]?.abort();
  expect(await Promise.all(waits)).toEqual(['packages_busy', 'packages_busy']);
  const wanted = work.join('a', endless, new AbortController().signal).catch(codeOf);
  work.callOff('a');
  const wantedAnew = work.join('a', endless);
  expect(work.isUnderWay('a')).toBe(true);
  work.callOff('b');
  await work.close();
  expect([await wanted, await wantedAnew.catch(codeOf)]).toEqual(Array(2).fill('packages_busy'));
});
