import { OriginStep } from './origin-steps.ts';
import { SrcdocStep } from './srcdoc-steps.ts';
import type { Effect, Event, Facts, State } from './machine.ts';

/** Advances the machine. Changes neither the state nor the store. */
export function step(state: State, event: Event, facts: Facts): [State, readonly Effect[]] {
  const next = createStep(state, facts);
  next.handle(event);
  return [next.state, next.effects];
}

/** Whether a page is shown that can be reloaded, rather than run from the start. */
export function canReload(state: State, facts: Facts): boolean {
  return createStep(state, facts).canReload;
}

function createStep(state: State, facts: Facts): OriginStep | SrcdocStep {
  const { transport } = state;
  return transport.kind === 'isolated-origin'
    ? new OriginStep(state, transport, facts)
    : new SrcdocStep(state, transport, facts);
}
