import { rowSql, type Source } from './filter-sql.ts';
import type { EmbedPlan, Field } from './read-plan.ts';
import { cutSql, writeRows } from './read-sql.ts';
import { quoteName } from './schema.ts';
import { newAlias, type Draft } from './statement.ts';

/** An embedded relation joined to its parent, not yet selected from. */
interface Embedded {
  source: Source;
  from: string;
  joined: string[];
}

export function openEmbed(
  draft: Draft,
  parent: Source,
  { link, plan, junction }: EmbedPlan,
): Embedded {
  const source = { relation: plan.relation, alias: newAlias(draft) };
  if (link.computed) {
    const from = `${link.computed.sql}(${rowSql(parent)}) as ${source.alias}`;
    return { source, from, joined: [] };
  }
  const from = `${plan.relation.sql} as ${source.alias}`;
  if (!link.through || !junction) {
    return { source, from, joined: equalSql(parent.alias, source.alias, link.pairs) };
  }
  const between = newAlias(draft);
  return {
    source,
    from: `${from}, ${junction.sql} as ${between}`,
    joined: [
      ...equalSql(parent.alias, between, link.pairs),
      ...equalSql(between, source.alias, link.through.pairs),
    ],
  };
}

function equalSql(
  left: string,
  right: string,
  pairs: readonly (readonly [string, string])[],
): string[] {
  return pairs.map(([a, b]) => `${right}.${quoteName(b)} = ${left}.${quoteName(a)}`);
}

/** The embedded row as a JSON object, or the rows as a list. */
export function embedSql(draft: Draft, parent: Source, embed: EmbedPlan): string {
  const { source, from, joined } = openEmbed(draft, parent, embed);
  const { rows } = writeRows(draft, embed.plan, source, from, { joined });
  const page = rows + cutSql(draft, embed.plan);
  return embed.link.toOne
    ? `(select row_to_json(e.*) from (${page}) e)`
    : `(select coalesce(json_agg(e.*), '[]') from (${page}) e)`;
}

/** The columns of the one embedded row, or lists of those of many. */
export function spreadJoin(
  draft: Draft,
  parent: Source,
  { embed, columns }: Extract<Field, { kind: 'spread' }>,
  alias: string,
): string {
  const { source, from, joined } = openEmbed(draft, parent, embed);
  const { toOne } = embed.link;
  const { rows } = writeRows(draft, embed.plan, source, from, { joined, hoisted: toOne });
  if (toOne) return ` left join lateral (${rows}) as ${alias} on true`;
  const lists = columns.map(({ name }) => {
    const column = quoteName(name);
    return `coalesce(json_agg(e.${column}), '[]') as ${column}`;
  });
  const page = rows + cutSql(draft, embed.plan);
  return ` left join lateral (select ${lists.join(', ')} from (${page}) e) as ${alias} on true`;
}
