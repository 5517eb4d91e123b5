import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PreviewWorld } from '../rig/preview-world.ts';

const numRuns = Number(process.env['MACHINE_RUNS'] ?? 500);

/** What a user, page or network does next. The number chooses among what is possible. */
const toAction = (kinds: readonly string[]) =>
  fc.record({ kind: fc.constantFrom(...kinds), choice: fc.nat(1_000) });

const common = [
  'edit edit edit edit deliver deliver deliver deliver deliver timer wait pass settle',
  'hang recover reload open stop log misbehave',
].flatMap((kinds) => kinds.split(' '));
const rare = ['navigate', 'evict', 'reload-itself', 'loop', 'loop', 'loop-itself', 'lose'];
const sequence = fc.oneof(
  fc.array(toAction(common), { maxLength: 60 }),
  fc.array(toAction([...common, ...rare]), { maxLength: 60 }),
);

/** Actions in bursts, while everything responds. */
const bursts = fc.array(
  fc.record({
    kind: fc.constantFrom(...'edit edit edit edit reload open evict misbehave log'.split(' ')),
    choice: fc.nat(1_000),
    waitMs: fc.oneof(fc.nat(10), fc.nat(500)),
  }),
  { maxLength: 30 },
);

/** A second frame opens before the initial files are compiled for the first. */
const editBeforeCompiled = [
  { kind: 'deliver', choice: 0 },
  { kind: 'deliver', choice: 0 },
  { kind: 'edit', choice: 0 },
  { kind: 'timer', choice: 0 },
  { kind: 'deliver', choice: 1 },
] as const;

const page = fc.constantFrom(undefined, 'about.html');
const revision = fc.constantFrom(null, 7);
const access = fc.constantFrom(undefined, 'granted', 'refused', 'unreachable');

describe.each(['isolated-origin', 'srcdoc'] as const)('the state machine with %s', (kind) => {
  it('shows every edit, and nothing older, whatever happens in whichever order', () => {
    fc.assert(
      fc.property(sequence, page, revision, access, (actions, page, revision, access) => {
        const world = new PreviewWorld({ kind, page, revision, access });
        for (const { kind: what, choice } of actions) world.act(what, choice);
        world.settle();
        expect(world.violations).toEqual([]);
      }),
      { numRuns, examples: [[[...editBeforeCompiled], undefined, null, undefined]] },
    );
  });
  it.each([
    ['prompt', 300],
    ['slow-updates', 1_400],
    ['slow-paint', 800],
  ] as const)('shows every edit soon in a page that is %s', (habit, limitMs) => {
    const delays = fc.array(fc.nat(8), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(bursts, delays, page, revision, (actions, delays, page, revision) => {
        const world = new PreviewWorld({ kind, page, revision, delays, habit });
        // The edits are newer than the page.
        if (habit === 'slow-paint') world.clock.advance(100);
        for (const { kind: what, choice, waitMs } of actions) {
          world.clock.advance(waitMs);
          // A page that waits for files that are deleted takes seconds, until the next edit sends them again.
          if (what === 'evict') world.settle();
          world.act(what, choice);
          if (what === 'evict') world.act('edit', choice);
        }
        world.settle();
        expect(world.violations).toEqual([]);
        expect(world.longestWait).toBeLessThan(limitMs);
      }),
      { numRuns },
    );
  });
});
