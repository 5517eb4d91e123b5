/** Which table's column a view's column shows. Tables are named by their oid, columns by number. */
export interface Origin {
  position: number;
  table: string;
  column: number;
}

/**
 * What a view's columns show, from the text of its rule as `pg_rewrite` has it:
 *
 *   ({QUERY … :targetList ({TARGETENTRY … :resno 1 … :resorigtbl 16400 :resorigcol 2 …} …) …})
 *   →  [{ position: 1, table: '16400', column: 2 }]
 *
 * Only the target list of the outermost query counts; columns that are computed have no origin.
 */
export function readViewColumns(rule: string): Origin[] {
  const origins: Origin[] = [];
  let depth = 0;
  let inTargets = false;
  let entryEnd = 0; // where the entry's own fields, behind its expression, begin
  for (let i = 0; i < rule.length; i++) {
    const char = rule[i];
    if (char === '\\') i++;
    else if (char === '{') depth++;
    else if (char === '}') {
      depth--;
      if (inTargets && depth === 2) entryEnd = i;
      if (inTargets && depth === 1) origins.push(...readEntry(rule.slice(entryEnd, i)));
    } else if (char === ':' && depth === 1) inTargets = rule.startsWith(':targetList ', i);
  }
  return origins;
}

function readEntry(fields: string): Origin[] {
  const [, position, table, column] =
    /:resno (\d+) .*:resorigtbl (\d+) :resorigcol (\d+)/s.exec(fields) ?? [];
  if (position === undefined || table === undefined || table === '0') return [];
  return [{ position: Number(position), table, column: Number(column) }];
}

/** The same down to tables, where a view shows another's columns. */
export function resolveViews(views: ReadonlyMap<string, readonly Origin[]>): Map<string, Origin[]> {
  const resolve = (position: number, table: string, column: number): Origin[] => {
    const below = views.get(table);
    if (!below) return [{ position, table, column }];
    const origin = below.find((one) => one.position === column);
    return origin ? resolve(position, origin.table, origin.column) : [];
  };
  return new Map(
    [...views].map(([view, origins]) => [
      view,
      origins.flatMap(({ position, table, column }) => resolve(position, table, column)),
    ]),
  );
}
