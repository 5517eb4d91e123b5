import * as fc from 'fast-check';
import { afterAll, beforeAll, test } from 'vitest';
import { createFuzzParameters, fuzzTimeoutMs } from '../fuzz-settings.ts';
import { check } from './check.ts';
import { openInstance, Scenario, type Instance } from './scenario.ts';
import { sequence, type Step } from './steps.ts';

/*
 * Two users and the server do random things to one project, its people, versions, assets and forks,
 * through the same requests as the app. After each step both users and a visitor must read and be
 * able to write exactly what the model says: nothing is lost, and nobody has more permissions. A
 * failure prints its seed: run it again with SEED=… .
 */

let instance: Instance;
beforeAll(async () => {
  instance = await openInstance();
});
afterAll(() => instance.test.close());

/** Deletes everything that an earlier run has left, and what counts for hourly limits. */
async function startScenario(): Promise<Scenario> {
  const { sql } = instance.test.database;
  await sql`delete from public.projects`;
  await sql`do $$ begin
    if to_regclass('private.attempts') is not null then delete from private.attempts; end if;
  end $$`;
  await instance.service.storage.emptyBucket('assets');
  return new Scenario(instance);
}

/** A picture that only an automatic version has, before a version that everyone sees. */
const pictureOfAutomaticVersion: Step[] = [
  { type: 'share', who: 'owner', visibility: 'public' },
  { type: 'asset', who: 'owner', path: 0, content: 0, isUploaded: true },
  { type: 'version', who: 'owner', reason: 'pause' },
  { type: 'delete', who: 'owner', pick: 1 },
  { type: 'version', who: 'owner', reason: 'named' },
];

/** The other user edits a text from a copy that doesn't have the owner's edit of it. */
const editOfOlderCopy: Step[] = [
  { type: 'invite', who: 'owner', kind: 'user', role: 'editor' },
  { type: 'accept', who: 'other', pick: 0 },
  { type: 'type', who: 'other', pick: 0, isStale: false },
  { type: 'type', who: 'owner', pick: 0, isStale: false },
  { type: 'type', who: 'other', pick: 0, isStale: true },
];

test(
  'two users have what the rules give them through the life of a project',
  async () => {
    await fc.assert(
      fc.asyncProperty(sequence, async (steps) => {
        const scenario = await startScenario();
        for (const [round, each] of steps.entries()) {
          await scenario.apply(each);
          await check(scenario, { round, isComplete: round % 10 === 9 });
        }
        await check(scenario, { round: 0, isComplete: true });
      }),
      {
        interruptAfterTimeLimit: 100_000,
        ...createFuzzParameters(6, 1),
        // Else most sequences are short.
        unbiased: true,
        examples: [[pictureOfAutomaticVersion], [editOfOlderCopy]],
      },
    );
  },
  Math.max(fuzzTimeoutMs, 120_000),
);
