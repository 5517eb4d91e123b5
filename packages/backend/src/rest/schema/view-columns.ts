/** The table column that a view column contains. Tables are oids, columns are numbers. */
export interface ColumnOrigin {
  position: number;
  table: string;
  column: number;
}

/**
 * Parses the columns of a view from its rule in `pg_rewrite`:
 *
 *   ({QUERY … :targetList ({TARGETENTRY … :resno 1 … :resorigtbl 16400 :resorigcol 2 …} …) …})
 *   →  [{ position: 1, table: '16400', column: 2 }]
 *
 * Only the target list of the outermost query counts; computed columns have no origin.
 */
export function readViewColumns(rule: string): ColumnOrigin[] {
  const origins: ColumnOrigin[] = [];
  let depth = 0;
  let inTargets = false;
  let entryEnd = 0; // start of the entry's own fields, after its expression
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

function readEntry(fields: string): ColumnOrigin[] {
  const [, position, table, column] =
    /:resno (\d+) .*:resorigtbl (\d+) :resorigcol (\d+)/s.exec(fields) ?? [];
  if (position === undefined || table === undefined || table === '0') return [];
  return [{ position: Number(position), table, column: Number(column) }];
}

/** Resolves columns of views on views to table columns. */
export function resolveViews(
  views: ReadonlyMap<string, readonly ColumnOrigin[]>,
): Map<string, ColumnOrigin[]> {
  const resolve = (position: number, table: string, column: number): ColumnOrigin[] => {
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
