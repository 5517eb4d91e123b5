import { rowSql, type Source } from './filter-sql.ts';
import type { EmbedPlan } from './read-plan.ts';
import { quoteName } from './schema.ts';
import { newAlias, type Draft } from './statement.ts';

/** The FROM item of an embedded relation and the conditions that join it to its parent. */
interface EmbedSource {
  source: Source;
  from: string;
  joined: string[];
}

export function openEmbed(
  draft: Draft,
  parent: Source,
  { link, plan, junction }: EmbedPlan,
): EmbedSource {
  const source = { relation: plan.relation, alias: newAlias(draft) };
  if (link.computed) {
    const from = `${link.computed.sql}(${rowSql(parent)}) as ${source.alias}`;
    return { source, from, joined: [] };
  }
  const from = `${plan.relation.sql} as ${source.alias}`;
  if (!link.through || !junction) {
    return { source, from, joined: compileEquality(parent.alias, source.alias, link.pairs) };
  }
  const between = newAlias(draft);
  return {
    source,
    from: `${from}, ${junction.sql} as ${between}`,
    joined: [
      ...compileEquality(parent.alias, between, link.pairs),
      ...compileEquality(between, source.alias, link.through.pairs),
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
