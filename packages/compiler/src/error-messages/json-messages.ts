import { getPosition } from '../page/instrument-html.ts';
import { findJsonErrorIndex } from './find-json-error.ts';
import type { CompileDiagnostic } from '../script/check-script.ts';

/** Describes the first error in a JSON text. For valid JSON, the position is the end of the text. */
export function describeJsonError(text: string): CompileDiagnostic {
  const at = findJsonErrorIndex(text);
  return { message: createMessage(text, at), ...getPosition(text, at) };
}

function createMessage(text: string, at: number): string {
  const found = /[\p{ID_Start}$_][\p{ID_Continue}$]*|\d[\w.]*|\/\/|\/\*|[^]|$/uy;
  found.lastIndex = at;
  const token = found.exec(text)?.[0] ?? '';
  const before = text.slice(0, at).trimEnd().at(-1) ?? '';
  if (text.trim() === '') return 'This JSON file is empty. It needs at least “{}”.';
  if (token === '') return 'Unexpected end of JSON.';
  if (token === '//' || token === '/*') return 'JSON doesn’t support comments.';
  if (token === "'" || token === '`') return 'JSON strings need double quotes.';
  if (before === ',' && /[}\]]/.test(token))
    return `Trailing “,” before “${token}” isn’t allowed in JSON.`;
  if (token === '"' && isUnterminated(text, at))
    return 'Unterminated string: missing closing quote.';
  if (/["\d{[\]e]/.test(before) && /^["{[\p{L}\d]/u.test(token) && !/[{[]/.test(before))
    return `Missing “,” before this.`;
  if (/[{,]/.test(before) && /^[\p{ID_Start}$_]/u.test(token))
    return `Property names in JSON need double quotes: "${token}".`;
  return `Unexpected “${token}” in JSON.`;
}

function isUnterminated(text: string, at: number): boolean {
  return !/^"(?:[^"\\\n]|\\.)*"/.test(text.slice(at));
}
