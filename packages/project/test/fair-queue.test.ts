import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { createFairQueue } from '../src/fair-queue.ts';

interface Item {
  readonly id: string;
  readonly keys: readonly string[];
  readonly cost: number;
}

const createQueue = (slotsPerKey = 1, maxWaiting = 1_000) =>
  createFairQueue<Item>({ slots: 2, slotsPerKey, maxWaiting, getKeys: ({ keys }) => keys });

const item = (id: string, keys: readonly string[], cost = 1): Item => ({ id, keys, cost });

/** Runs the queue's items one after the other and returns their ids in order. */
function drain(queue: ReturnType<typeof createQueue>): string[] {
  const ids: string[] = [];
  for (let next = queue.take(); next; next = queue.take()) {
    ids.push(next.id);
    queue.finish(next, next.cost);
  }
  return ids;
}

it('returns items of a single key in the order they were added', () => {
  const queue = createQueue();
  for (const id of 'abcd') queue.add(item(id, ['project 1']));
  expect(drain(queue)).toEqual(['a', 'b', 'c', 'd']);
});

it('prefers the project and client that have had less work done', () => {
  const queue = createQueue();
  for (const id of ['a1', 'a2', 'a3']) queue.add(item(id, ['project a', 'client a'], 1_000));
  // The same client has a second project, and the same project a second client: both were charged.
  queue.add(item('same client', ['project b', 'client a']));
  queue.add(item('same project', ['project a', 'client b']));
  for (const id of ['c1', 'c2', 'c3']) queue.add(item(id, ['project c', 'client c'], 10));
  expect(drain(queue).slice(0, 4)).toEqual(['a1', 'c1', 'c2', 'c3']);
});

it('prevents a key from occupying every slot', () => {
  const queue = createQueue();
  queue.add(item('a', ['project a', 'client a']));
  queue.add(item('b', ['project a', 'client b']));
  queue.add(item('c', ['project c', 'client a']));
  expect(queue.take()?.id).toBe('a');
  expect(queue.take()).toBeUndefined();
  queue.add(item('d', ['project d', 'client d']));
  expect(queue.take()?.id).toBe('d');
});

it('drops the last item of the key with the most waiting items', () => {
  const queue = createQueue(1, 3);
  for (const id of ['a1', 'a2']) queue.add(item(id, ['client a']));
  expect(queue.add(item('b', ['client b']))).toBeUndefined();
  expect(queue.add(item('c', ['client c']))?.id).toBe('a2');
});

it('serves every key despite a steady stream of new keys', () => {
  const queue = createQueue();
  queue.add(item('first', ['client a'], 50));
  queue.add(item('second', ['client a'], 50));
  const ids: string[] = [];
  for (let count = 0; count < 200 && !ids.includes('second'); count += 1) {
    queue.add(item(`new ${count}`, [`client ${count}`], 50));
    const next = queue.take();
    if (!next) throw new Error('nothing to take');
    ids.push(next.id);
    queue.finish(next, next.cost);
  }
  expect(ids).toContain('second');
});

it('hands out every item once and within the slots, for random operations', () => {
  const keys = fc.constantFrom('a', 'b', 'c', 'd');
  const step = fc.oneof(
    fc.record({ project: keys, client: keys, cost: fc.integer({ min: 0, max: 5_000 }) }),
    fc.constant('take' as const),
    fc.constant('finish' as const),
  );
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 200 }),
      fc.integer({ min: 1, max: 2 }),
      (steps, most) => {
        const queue = createQueue(most);
        const running: Item[] = [];
        const taken: Item[] = [];
        let added = 0;
        const take = () => {
          const next = queue.take();
          if (!next) return false;
          running.push(next);
          taken.push(next);
          expect(running.length).toBeLessThanOrEqual(2);
          for (const key of next.keys)
            expect(running.filter((other) => other.keys.includes(key)).length).toBeLessThanOrEqual(
              most,
            );
          return true;
        };
        const finish = () => {
          const [done] = running.splice(0, 1);
          if (done) queue.finish(done, done.cost);
          return done !== undefined;
        };
        for (const each of steps) {
          if (each === 'take') take();
          else if (each === 'finish') finish();
          else {
            const { project, client, cost } = each;
            queue.add(item(String((added += 1)), [`project ${project}`, `client ${client}`], cost));
          }
        }
        while (take() || finish());
        expect(new Set(taken).size).toBe(added);
      },
    ),
  );
});
