import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isActive } from '../../src/host/machine.ts';
import { PreviewWorld } from '../rig/preview-world.ts';

/** What a simulated user, page or network does next. The number chooses among what is possible. */
const action = fc.record({
  kind: fc.constantFrom(
    ...(['edit', 'edit', 'deliver', 'deliver', 'deliver', 'timer', 'timer'] as const),
    ...(['wait', 'hang', 'recover', 'reload', 'open', 'stop', 'navigate', 'evict'] as const),
  ),
  choice: fc.nat(1_000),
});

/** A second frame opens before the initial files are compiled for the first. */
const editBeforeCompiled = [
  { kind: 'deliver', choice: 0 },
  { kind: 'deliver', choice: 0 },
  { kind: 'edit', choice: 0 },
  { kind: 'timer', choice: 0 },
  { kind: 'deliver', choice: 1 },
] as const;

describe.each(['isolated-origin', 'srcdoc'] as const)('the state machine with %s', (kind) => {
  it('shows every edit, and nothing older, whatever happens in whichever order', () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
        const world = new PreviewWorld(kind);
        for (const { kind: what, choice } of actions) world.act(what, choice);
        world.settle();
        expect(world.violations).toEqual([]);
        if (isActive(world.state.status)) expect(world.shownVersion).toBe(world.store.version);
      }),
      {
        numRuns: Number(process.env['MACHINE_RUNS'] ?? 500),
        examples: [[[...editBeforeCompiled]]],
      },
    );
  });
});
