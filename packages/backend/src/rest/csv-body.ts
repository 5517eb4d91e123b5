import { invalidBody } from './payload.ts';

/**
 * A CSV body (RFC 4180) as the JSON that says the same: the first line has the columns, every value
 * is text, and `NULL` is null. PostgreSQL reads the text as the column's type.
 *
 *   id,title\n1,"a, b"\n2,NULL\n → [{"id":"1","title":"a, b"},{"id":"2","title":null}]
 */
export function readCsv(text: string): string {
  const [names = [], ...rows] = parseCsv(text.replace(/^\uFEFF/, ''));
  if (names.length === 0) throw invalidBody('Empty or invalid csv');
  if (new Set(names).size < names.length) throw invalidBody('Two columns have one name');
  const objects = rows.map((row) => {
    if (row.length !== names.length) throw invalidBody('All lines must have same number of fields');
    // Made of a list, since an object would keep names that are numbers in another order.
    const members = names.map((name, index) => {
      const value = row[index] === 'NULL' ? null : row[index];
      return `${JSON.stringify(name)}:${JSON.stringify(value)}`;
    });
    return `{${members.join(',')}}`;
  });
  return `[${objects.join(',')}]`;
}

/** A value in quotes, in which two stand for one; or one without any; then what ends it. */
const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/y;

function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  field.lastIndex = 0;
  while (field.lastIndex < text.length || row.length > 0) {
    const found = field.exec(text);
    if (!found) throw invalidBody('Empty or invalid csv');
    const [, quoted, plain = '', end] = found;
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === ',') continue;
    rows.push(row);
    row = [];
  }
  return rows;
}
