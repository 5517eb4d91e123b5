import type { FunctionRow } from './catalog-rows.ts';
import { kindOf, quoteName, type Column, type DatabaseFunction, type Relation } from './schema.ts';

export function formatFunctionName(row: FunctionRow): string {
  return `${quoteName(row.schema)}.${quoteName(row.name)}`;
}

export function describeFunction(
  row: FunctionRow,
  relationsByOid: ReadonlyMap<string, Relation>,
): DatabaseFunction {
  const isInput = (index: number) => ['i', 'b', 'v'].includes(row.arg_modes?.[index] ?? 'i');
  const inputs = row.arg_types
    .map(({ name: type }, index) => ({ name: row.arg_names?.[index] ?? '', type, index }))
    .filter(({ index }) => isInput(index));
  const described: DatabaseFunction = {
    name: row.name,
    schema: row.schema,
    sql: formatFunctionName(row),
    arguments: inputs.map(({ name, type }, position) => ({
      name,
      type,
      required: position < row.input_count - row.default_count,
      variadic: row.variadic && position === row.input_count - 1,
    })),
    result: getResultKind(row),
    returnsSet: row.returns_set,
    writes: row.volatility === 'v',
  };
  const rows = relationsByOid.get(row.return_type.relation) ?? createOutputRelation(row);
  if (described.result === 'row' && rows) described.rows = rows;
  return described;
}

function listOutputIndexes(row: FunctionRow): number[] {
  return row.arg_types
    .map((_, index) => index)
    .filter((index) => ['o', 'b', 't'].includes(row.arg_modes?.[index] ?? 'i'));
}

/** A function with one OUT argument returns its value; with more it returns a row. */
function getResultKind(row: FunctionRow): DatabaseFunction['result'] {
  if (row.return_type.base === 'void') return 'void';
  if (row.return_type.base === 'record' && row.return_type.pseudo) return 'row';
  if (row.arg_modes?.includes('t')) return 'row';
  return row.return_type.relation === '0' ? 'value' : 'row';
}

/** The columns of `returns table (…)` or of several OUT arguments. */
function createOutputRelation(row: FunctionRow): Relation | undefined {
  const numbers = listOutputIndexes(row);
  if (numbers.length === 0) return undefined;
  const columns = numbers.map((index): Column => {
    const type = row.arg_types[index]?.name ?? 'text';
    return { name: row.arg_names?.[index] ?? '', type, kind: kindOf(type) };
  });
  return {
    name: row.name,
    schema: row.schema,
    sql: formatFunctionName(row),
    columns: new Map(columns.map((column) => [column.name, column])),
    primaryKey: [],
    computed: new Map(),
    relationships: [],
  };
}
