import { compileWholeRow, type SqlSource } from './filter-sql.ts';
import type { EmbedPlan } from '../plan/read-plan.ts';
import { quoteName } from '../schema/schema.ts';
import { createAlias, type StatementBuilder } from './statement.ts';

/** The FROM item of an embedded relation and the conditions that join it to its parent. */
interface EmbedSource {
  source: SqlSource;
  from: string;
  joined: string[];
}

export function compileEmbed(
  builder: StatementBuilder,
  parent: SqlSource,
  { relationship, plan, junction }: EmbedPlan,
): EmbedSource {
  const source = { relation: plan.relation, alias: createAlias(builder) };
  if (relationship.computed) {
    const from = `${relationship.computed.sql}(${compileWholeRow(parent)}) as ${source.alias}`;
    return { source, from, joined: [] };
  }
  const from = `${plan.relation.sql} as ${source.alias}`;
  if (!relationship.through || !junction) {
    return {
      source,
      from,
      joined: compileEquality(parent.alias, source.alias, relationship.pairs),
    };
  }
  const between = createAlias(builder);
  return {
    source,
    from: `${from}, ${junction.sql} as ${between}`,
    joined: [
      ...compileEquality(parent.alias, between, relationship.pairs),
      ...compileEquality(between, source.alias, relationship.through.pairs),
    ],
  };
}

function compileEquality(
  left: string,
  right: string,
  pairs: readonly (readonly [string, string])[],
): string[] {
  return pairs.map(([a, b]) => `${right}.${quoteName(b)} = ${left}.${quoteName(a)}`);
}
