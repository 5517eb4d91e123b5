import { compileWholeRow, type SqlSource } from './filter-sql.ts';
import type { EmbedPlan } from './read-plan.ts';
import { quoteName } from './schema.ts';
import { createAlias, type StatementDraft } from './statement.ts';

/** The FROM item of an embedded relation and the conditions that join it to its parent. */
interface EmbedSource {
  source: SqlSource;
  from: string;
  joined: string[];
}

export function compileEmbed(
  draft: StatementDraft,
  parent: SqlSource,
  { link, plan, junction }: EmbedPlan,
): EmbedSource {
  const source = { relation: plan.relation, alias: createAlias(draft) };
  if (link.computed) {
    const from = `${link.computed.sql}(${compileWholeRow(parent)}) as ${source.alias}`;
    return { source, from, joined: [] };
  }
  const from = `${plan.relation.sql} as ${source.alias}`;
  if (!link.through || !junction) {
    return { source, from, joined: compileEquality(parent.alias, source.alias, link.pairs) };
  }
  const between = createAlias(draft);
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
