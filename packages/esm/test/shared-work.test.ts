import { VitrineError } from '@vitrine/project';
import { expect, test } from 'vitest';
import { createSharedWork } from '../src/shared-work.ts';

/** Runs until it is aborted. */
const endless = (signal: AbortSignal) =>
  new Promise<string>((_, fail) => signal.addEventListener('abort', () => fail(signal.reason)));

const codeOf = (error: unknown) => (error instanceof VitrineError ? error.code : error);

test('aborts a canceled task when the last waiting caller leaves, unless it was requested again', async () => {
  const work = createSharedWork<string>();
  const people = [new AbortController(), new AbortController()];
  const waits = people.map(({ signal }) => work.run('a', endless, signal).catch(codeOf));
  people[0]?.abort();
  work.cancel('a');
  expect(work.isRunning('a')).toBe(true);
  people[1]?.abort();
  expect(await Promise.all(waits)).toEqual(['packages_busy', 'packages_busy']);
  const wanted = work.run('a', endless, new AbortController().signal).catch(codeOf);
  work.cancel('a');
  const wantedAnew = work.run('a', endless);
  expect(work.isRunning('a')).toBe(true);
  work.cancel('b');
  await work.close();
  expect([await wanted, await wantedAnew.catch(codeOf)]).toEqual(Array(2).fill('packages_busy'));
});
