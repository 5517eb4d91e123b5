import { RestError } from './rest-error.ts';
import type { Relation, Relationship } from './schema.ts';

/**
 * Finds the relationship that `target` and `hint` select; throws unless there is exactly one. A
 * target is a computed relationship, a relation, a foreign key or its single column; a hint is a
 * key, a column of either side, or a junction. Between a relation and itself, the key as target
 * selects the to-one direction; the relation's name, with or without the key's column as hint, the
 * to-many direction.
 */
export function getRelationship(from: Relation, target: string, hint?: string): Relationship {
  const computed = from.relationships.filter((link) => link.computed?.name === target);
  const keyed = from.relationships.filter((link) => !link.computed);
  const found =
    computed.length > 0
      ? computed
      : keyed.filter((link) =>
          hint === undefined
            ? matchesTarget(from, link, target)
            : link.to === target && matchesHint(from, link, hint),
        );
  const [only, ...others] = found;
  if (only === undefined) throw createNoRelationshipError(from, target, hint);
  if (others.length > 0) throw createAmbiguousError(from, target, found);
  return only;
}

function matchesTarget(from: Relation, link: Relationship, target: string): boolean {
  const isSelf = link.to === from.name;
  if (link.to === target && (!isSelf || (!link.ownsKey && !link.through))) return true;
  if (link.through || link.toView || (isSelf && !link.ownsKey)) return false;
  return link.constraints[0] === target || (link.ownsKey && singleColumn(link, 0) === target);
}

function matchesHint(from: Relation, link: Relationship, hint: string): boolean {
  if (link.through) {
    const { junction, pairs } = link.through;
    const column = pairs.length === 1 ? pairs[0]?.[0] : undefined;
    return junction === hint || link.constraints[1] === hint || column === hint;
  }
  if (singleColumn(link, 0) === hint || singleColumn(link, 1) === hint) {
    return link.to !== from.name || !link.ownsKey;
  }
  return link.constraints[0] === hint && link.to !== from.name;
}

function singleColumn(link: Relationship, side: 0 | 1): string | undefined {
  return link.pairs.length === 1 ? link.pairs[0]?.[side] : undefined;
}

function createNoRelationshipError(from: Relation, target: string, hint?: string): RestError {
  const using = hint === undefined ? '' : ` using the hint '${hint}'`;
  return new RestError(
    400,
    'PGRST200',
    `Could not find a relationship between '${from.name}' and '${target}' in the schema cache`,
    {
      details: `Searched for a foreign key relationship between '${from.name}' and '${target}'${using} in the schema '${from.schema}', but no matches were found.`,
    },
  );
}

function createAmbiguousError(
  from: Relation,
  target: string,
  found: readonly Relationship[],
): RestError {
  const ways = found.map(
    ({ constraints, through, to }) => `'${to}!${through?.junction ?? constraints[0]}'`,
  );
  return new RestError(
    300,
    'PGRST201',
    `Could not embed because more than one relationship was found for '${from.name}' and '${target}'`,
    {
      details: found.map((link) => describeRelationship(from, link)),
      hint: `Try changing '${target}' to one of the following: ${ways.join(', ')}. Find the desired relationship in the 'details' key.`,
    },
  );
}

function describeRelationship(from: Relation, link: Relationship): Record<string, string> {
  const { constraints, through, to, pairs } = link;
  const here = pairs.map(([column]) => column).join(', ');
  const there = (through?.pairs ?? pairs).map(([, column]) => column).join(', ');
  const relationship = through
    ? `${through.junction} using ${constraints[0]}(${pairs.map(([, column]) => column).join(', ')}) and ${constraints[1]}(${through.pairs.map(([column]) => column).join(', ')})`
    : `${constraints[0]} using ${from.name}(${here}) and ${to}(${there})`;
  return { cardinality: getCardinality(link), embedding: `${from.name} with ${to}`, relationship };
}

function getCardinality({ through, toOne, ownsKey }: Relationship): string {
  if (through) return 'many-to-many';
  if (ownsKey) return 'many-to-one';
  return toOne ? 'one-to-one' : 'one-to-many';
}
