import type { ForeignKey, Keys } from './read-keys.ts';
import type { Relationship } from './schema.ts';

/** Finds all relationships of each relation: along a key, against it, or through a junction. */
export function findRelationships({ foreign: keys, primary }: Keys): Map<string, Relationship[]> {
  const views = new Set(keys.filter(({ toView }) => toView).map(({ to }) => to));
  const byRelation = new Map<string, Relationship[]>();
  const add = (from: string, relationship: Relationship) => {
    const existing = byRelation.get(from);
    if (existing) existing.push(relationship);
    else byRelation.set(from, [relationship]);
  };
  for (const key of keys) {
    const pairs = pairColumns(key.columns, key.toColumns);
    const constraints = [key.name];
    const { to, toView } = key;
    add(key.from, { constraints, to, toView, toOne: true, ownsKey: true, pairs });
    add(key.to, {
      constraints,
      to: key.from,
      toView: views.has(key.from),
      toOne: key.unique,
      ownsKey: false,
      pairs: swapPairs(pairs),
    });
  }
  for (const [near, far] of findJunctions(keys, primary)) {
    add(near.to, {
      constraints: [near.name, far.name],
      to: far.to,
      toView: far.toView,
      toOne: false,
      ownsKey: false,
      pairs: pairColumns(near.toColumns, near.columns),
      through: { junction: near.from, pairs: pairColumns(far.columns, far.toColumns) },
    });
  }
  return byRelation;
}

type Pair = readonly [string, string];

function pairColumns(left: readonly string[], right: readonly string[]): Pair[] {
  return left.map((column, index) => [column, right[index] ?? ''] as const);
}

function swapPairs(pairs: readonly Pair[]): Pair[] {
  return pairs.map(([left, right]) => [right, left] as const);
}

/** Finds junctions: two keys of one table whose columns are all part of its primary key. */
function* findJunctions(
  keys: readonly ForeignKey[],
  primaryKeys: ReadonlyMap<string, readonly string[]>,
): Generator<[ForeignKey, ForeignKey]> {
  const joining = keys.filter(({ joins }) => joins);
  for (const [table, tableKeys] of Map.groupBy(joining, ({ from }) => from)) {
    const primary = new Set(primaryKeys.get(table));
    const inPrimaryKey = tableKeys.filter(({ columns }) =>
      columns.every((column) => primary.has(column)),
    );
    for (const near of inPrimaryKey) {
      for (const far of inPrimaryKey) if (near.name !== far.name) yield [near, far];
    }
  }
}
