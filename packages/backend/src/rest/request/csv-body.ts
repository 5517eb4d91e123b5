import { createInvalidBodyError } from './payload.ts';

/**
 * Converts a CSV body (RFC 4180) to JSON. The first line has the column names, every value is text,
 * and `NULL` is null. PostgreSQL converts the text to the column's type.
 *
 *   id,title\n1,"a, b"\n2,NULL\n → [{"id":"1","title":"a, b"},{"id":"2","title":null}]
 */
export function convertCsvToJson(text: string): string {
  const [names = [], ...rows] = parseCsv(text.replace(/^\uFEFF/, ''));
  if (names.length === 0) throw createInvalidBodyError('Empty or invalid csv');
  if (new Set(names).size < names.length)
    throw createInvalidBodyError('Two columns have the same name');
  const objects = rows.map((row) => {
    if (row.length !== names.length)
      throw createInvalidBodyError('All lines must have same number of fields');
    // Serialized by hand, as an object would reorder numeric names.
    const members = names.map((name, index) => {
      const value = row[index] === 'NULL' ? null : row[index];
      return `${JSON.stringify(name)}:${JSON.stringify(value)}`;
    });
    return `{${members.join(',')}}`;
  });
  return `[${objects.join(',')}]`;
}

/** A quoted value, in which two quotes are one, or an unquoted one; then the separator. */
const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/y;

function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  field.lastIndex = 0;
  while (field.lastIndex < text.length || row.length > 0) {
    const found = field.exec(text);
    if (!found) throw createInvalidBodyError('Empty or invalid csv');
    const [, quoted, plain = '', end] = found;
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === ',') continue;
    rows.push(row);
    row = [];
  }
  return rows;
}
