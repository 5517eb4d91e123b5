import * as fc from 'fast-check';
import type { InvitationKind, Role } from './model.ts';

/** Who does something: the owner at that time, the other user, or a visitor. */
export type Actor = 'owner' | 'other' | 'visitor';

const act = <const T extends string>(
  types: readonly T[],
  [owner, other, visitor]: readonly [number, number, number],
) => ({
  type: fc.constantFrom(...types),
  who: fc.oneof(
    { weight: owner, arbitrary: fc.constant<Actor>('owner') },
    { weight: other, arbitrary: fc.constant<Actor>('other') },
    { weight: visitor, arbitrary: fc.constant<Actor>('visitor') },
  ),
});
/** Weights of the actors. */
const editors = [6, 6, 1] as const;
const owners = [9, 2, 1] as const;
const anyone = [4, 5, 1] as const;

/** Chooses one of several things that exist by then, often the latest. */
const pick = fc.oneof(fc.constant(0), fc.nat(30));
const role = fc.constantFrom<Role>('viewer', 'editor', 'editor');
const weigh = <T>(weight: number, arbitrary: fc.Arbitrary<T>) => ({ weight, arbitrary });

const share = fc.record({
  ...act(['share'], owners),
  visibility: fc.constantFrom('private', 'unlisted', 'public', 'public'),
});
const invite = fc.record({
  ...act(['invite'], owners),
  kind: fc.constantFrom<InvitationKind>('user', 'email', 'link'),
  role,
});
const accept = fc.record({ ...act(['accept'], [1, 9, 1]), pick });

/** Something that a user, a visitor or the server does. */
const step = fc.oneof(
  weigh(10, fc.record({ ...act(['type'], editors), pick, isStale: fc.boolean() })),
  weigh(3, fc.record({ ...act(['create', 'rename'], editors), pick, to: fc.nat(2) })),
  weigh(5, fc.record({ ...act(['delete'], editors), pick })),
  weigh(
    7,
    fc.record({
      ...act(['asset'], editors),
      path: fc.nat(1),
      content: fc.nat(2),
      isUploaded: fc.boolean(),
    }),
  ),
  weigh(1, fc.record({ ...act(['upload'], anyone), content: fc.nat(2), isOwn: fc.boolean() })),
  weigh(3, fc.record({ type: fc.constant('collect'), isDue: fc.boolean() })),
  weigh(
    7,
    fc.record({
      ...act(['version'], editors),
      reason: fc.constantFrom('named', 'pause', 'import', 'publish'),
    }),
  ),
  weigh(4, fc.record({ ...act(['restoreVersion'], editors), pick })),
  weigh(4, fc.record({ ...act(['publish'], owners), pick: fc.option(pick, { freq: 3 }) })),
  weigh(4, share),
  weigh(1, fc.record(act(['retitle'], owners))),
  weigh(1, fc.record(act(['trash'], owners))),
  weigh(3, fc.record(act(['untrash'], owners))),
  weigh(1, fc.record(act(['deleteForever'], owners))),
  weigh(1, fc.record({ type: fc.constant('purge') })),
  weigh(4, fc.record({ ...act(['fork'], anyone), pick: fc.option(pick, { freq: 2 }) })),
  weigh(2, fc.record({ ...act(['dropFork'], anyone), pick })),
  weigh(4, invite),
  weigh(1, fc.record({ ...act(['offer'], owners) })),
  weigh(5, accept),
  weigh(2, fc.record({ ...act(['decline', 'revoke', 'expire'], anyone), pick })),
  weigh(2, fc.record({ ...act(['setRole'], owners), role })),
  weigh(1, fc.record(act(['remove'], owners))),
  weigh(1, fc.record(act(['leave'], anyone))),
);
export type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Most sequences begin with the other user accepting an invitation. */
export const sequence = fc
  .tuple(share, invite, accept, fc.array(step, { maxLength: 150, size: 'max' }))
  .map(([first, second, third, rest]): Step[] => [first, second, third, ...rest]);
