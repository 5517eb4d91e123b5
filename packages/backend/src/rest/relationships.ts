import { RestError } from './rest-error.ts';
import type { Relation, Relationship } from './schema.ts';

/** A foreign key as the catalogue has it. */
export interface ForeignKey {
  name: string;
  from: string;
  to: string;
  columns: string[];
  toColumns: string[];
  /** Whether a row of `to` has at most one row of `from`. */
  unique: boolean;
}

/** Every way from each relation to another: along a key, against it, or through a junction. */
export function linkRelations(
  keys: readonly ForeignKey[],
  primaryKeys: ReadonlyMap<string, readonly string[]>,
): Map<string, Relationship[]> {
  const links = new Map<string, Relationship[]>();
  const add = (from: string, link: Relationship) => {
    const known = links.get(from);
    if (known) known.push(link);
    else links.set(from, [link]);
  };
  for (const key of keys) {
    const pairs = pairColumns(key.columns, key.toColumns);
    const constraints = [key.name];
    add(key.from, { constraints, to: key.to, toOne: true, ownsKey: true, pairs });
    add(key.to, {
      constraints,
      to: key.from,
      toOne: key.unique,
      ownsKey: false,
      pairs: swap(pairs),
    });
  }
  for (const [near, far] of junctions(keys, primaryKeys)) {
    add(near.to, {
      constraints: [near.name, far.name],
      to: far.to,
      toOne: false,
      ownsKey: false,
      pairs: pairColumns(near.toColumns, near.columns),
      through: { junction: near.from, pairs: pairColumns(far.columns, far.toColumns) },
    });
  }
  return links;
}

type Pair = readonly [string, string];

function pairColumns(left: readonly string[], right: readonly string[]): Pair[] {
  return left.map((column, index) => [column, right[index] ?? ''] as const);
}

function swap(pairs: readonly Pair[]): Pair[] {
  return pairs.map(([left, right]) => [right, left] as const);
}

/** Two keys of one table whose columns are all part of its primary key join the tables they name. */
function* junctions(
  keys: readonly ForeignKey[],
  primaryKeys: ReadonlyMap<string, readonly string[]>,
): Generator<[ForeignKey, ForeignKey]> {
  for (const [table, own] of Map.groupBy(keys, ({ from }) => from)) {
    const primary = new Set(primaryKeys.get(table));
    const joining = own.filter(({ columns }) => columns.every((column) => primary.has(column)));
    for (const near of joining) for (const far of joining) if (near !== far) yield [near, far];
  }
}

/**
 * The one relationship that `target` and `hint` name. A target is a relation, or a foreign key
 * or its single column; a hint is a key, a column of either side, or a junction. Between a
 * relation and itself the target as a key leads to the one row, the hint to the many.
 */
export function getRelationship(from: Relation, target: string, hint?: string): Relationship {
  const found = from.relationships.filter((link) =>
    hint === undefined
      ? matchesTarget(from, link, target)
      : link.to === target && matchesHint(from, link, hint),
  );
  const [only, ...others] = found;
  if (only === undefined) throw noRelationship(from, target, hint);
  if (others.length > 0) throw ambiguous(from, target, found);
  return only;
}

function matchesTarget(from: Relation, link: Relationship, target: string): boolean {
  if (link.to === target && link.to !== from.name) return true;
  if (link.through || !link.ownsKey) return false;
  return link.constraints[0] === target || singleColumn(link, 0) === target;
}

function matchesHint(from: Relation, link: Relationship, hint: string): boolean {
  if (link.through) {
    const { junction, pairs } = link.through;
    const column = pairs.length === 1 ? pairs[0]?.[0] : undefined;
    return junction === hint || link.constraints[1] === hint || column === hint;
  }
  if (link.to === from.name && link.ownsKey) return false;
  return (
    link.constraints[0] === hint || singleColumn(link, 0) === hint || singleColumn(link, 1) === hint
  );
}

function singleColumn(link: Relationship, side: 0 | 1): string | undefined {
  return link.pairs.length === 1 ? link.pairs[0]?.[side] : undefined;
}

function noRelationship(from: Relation, target: string, hint?: string): RestError {
  const using = hint === undefined ? '' : ` using the hint '${hint}'`;
  return new RestError(
    400,
    'PGRST200',
    `Could not find a relationship between '${from.name}' and '${target}' in the schema cache`,
    {
      details: `Searched for a foreign key relationship between '${from.name}' and '${target}'${using}, but no matches were found.`,
    },
  );
}

function ambiguous(from: Relation, target: string, found: readonly Relationship[]): RestError {
  const ways = found.map(
    ({ constraints, through, to }) => `${to}!${through?.junction ?? constraints[0]}`,
  );
  return new RestError(
    300,
    'PGRST201',
    `Could not embed because more than one relationship was found for '${from.name}' and '${target}'`,
    {
      details: `Found: ${ways.join(', ')}`,
      hint: `Try changing '${target}' to one of the following: ${ways.map((way) => `'${way}'`).join(', ')}. Find the desired relationship in the 'details' key.`,
    },
  );
}
