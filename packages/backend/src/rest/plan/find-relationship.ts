import { RestError } from '../rest-error.ts';
import type { Relation, Relationship } from '../schema/schema.ts';

/**
 * Finds the relationship that `target` and `hint` select; throws unless there is exactly one. A
 * target is a computed relationship, a relation, a foreign key or its single column; a hint is a
 * key, a column of either side, or a junction. Between a relation and itself, the key as target
 * selects the to-one direction; the relation's name, with or without the key's column as hint, the
 * to-many direction.
 */
export function getRelationship(from: Relation, target: string, hint?: string): Relationship {
  const computed = from.relationships.filter(
    (relationship) => relationship.computed?.name === target,
  );
  const keyed = from.relationships.filter((relationship) => !relationship.computed);
  const found =
    computed.length > 0
      ? computed
      : keyed.filter((relationship) =>
          hint === undefined
            ? matchesTarget(from, relationship, target)
            : relationship.to === target && matchesHint(from, relationship, hint),
        );
  const [only, ...others] = found;
  if (only === undefined) throw createNoRelationshipError(from, target, hint);
  if (others.length > 0) throw createAmbiguousError(from, target, found);
  return only;
}

function matchesTarget(from: Relation, relationship: Relationship, target: string): boolean {
  const isSelf = relationship.to === from.name;
  if (relationship.to === target && (!isSelf || (!relationship.ownsKey && !relationship.through)))
    return true;
  if (relationship.through || relationship.toView || (isSelf && !relationship.ownsKey))
    return false;
  return (
    relationship.constraints[0] === target ||
    (relationship.ownsKey && singleColumn(relationship, 0) === target)
  );
}

function matchesHint(from: Relation, relationship: Relationship, hint: string): boolean {
  if (relationship.through) {
    const { junction, pairs } = relationship.through;
    const column = pairs.length === 1 ? pairs[0]?.[0] : undefined;
    return junction === hint || relationship.constraints[1] === hint || column === hint;
  }
  if (singleColumn(relationship, 0) === hint || singleColumn(relationship, 1) === hint) {
    return relationship.to !== from.name || !relationship.ownsKey;
  }
  return relationship.constraints[0] === hint && relationship.to !== from.name;
}

function singleColumn(relationship: Relationship, side: 0 | 1): string | undefined {
  return relationship.pairs.length === 1 ? relationship.pairs[0]?.[side] : undefined;
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
  const options = found.map(
    ({ constraints, through, to }) => `'${to}!${through?.junction ?? constraints[0]}'`,
  );
  return new RestError(
    300,
    'PGRST201',
    `Could not embed because more than one relationship was found for '${from.name}' and '${target}'`,
    {
      details: found.map((relationship) => describeRelationship(from, relationship)),
      hint: `Try changing '${target}' to one of the following: ${options.join(', ')}. Find the desired relationship in the 'details' key.`,
    },
  );
}

function describeRelationship(from: Relation, relationship: Relationship): Record<string, string> {
  const { constraints, through, to, pairs } = relationship;
  const columns = pairs.map(([column]) => column).join(', ');
  const targetColumns = (through?.pairs ?? pairs).map(([, column]) => column).join(', ');
  const description = through
    ? `${through.junction} using ${constraints[0]}(${pairs.map(([, column]) => column).join(', ')}) and ${constraints[1]}(${through.pairs.map(([column]) => column).join(', ')})`
    : `${constraints[0]} using ${from.name}(${columns}) and ${to}(${targetColumns})`;
  return {
    cardinality: getCardinality(relationship),
    embedding: `${from.name} with ${to}`,
    relationship: description,
  };
}

function getCardinality({ through, toOne, ownsKey }: Relationship): string {
  if (through) return 'many-to-many';
  if (ownsKey) return 'many-to-one';
  return toOne ? 'one-to-one' : 'one-to-many';
}
