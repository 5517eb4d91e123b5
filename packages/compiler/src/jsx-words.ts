/** Error messages for typical mistakes in JSX, where its syntax differs from HTML. */
import { readToken } from './slip-words.ts';

/** Describes the mistake at an index; undefined if it isn't a typical one. */
export function wordJsxSlip(source: string, position: number): string | undefined {
  const found = readToken(source, position);
  const before = source.slice(0, position).trimEnd();
  if (found === '!' && before.endsWith('<'))
    return 'JSX doesn’t support “<!-- -->” comments. Use {/* … */}.';
  if (found === '/' && before.endsWith('<'))
    return describeClosingTag(before, source.slice(position));
  if (statements.includes(found) && /<[A-Za-z][^<>]*>[^<]*\{$/.test(before))
    return `“${found}” can’t be used inside JSX braces. Use an expression, such as {a ? b : c}.`;
  if (found === ':' && /\bstyle=\{\s*[\w$]+$/.test(before))
    return 'The style prop takes an object: style={{ color: "red" }}.';
  if (/<[A-Za-z][^<>{}]*\s\{$/.test(before) && isName(found))
    return `Unexpected “{” in a tag. Use name={${found}}, or {...${found}} to spread an object.`;
  if (/<[A-Za-z][^<>]*\s[\w-]+=$/.test(before) && /^[\w$]/.test(found))
    return 'JSX attribute values need quotes or braces: name="text" or name={value}.';
  return undefined;
}

const statements = ['if', 'for', 'while', 'switch', 'return', 'const', 'let', 'var'];

function isName(token: string): boolean {
  return /^[\p{ID_Start}$_]/u.test(token);
}

function describeClosingTag(before: string, rest: string): string | undefined {
  if (/\{[^{}<]*<$/.test(before)) return 'The “{” before this tag is missing its closing “}”.';
  const [, tag = ''] = /^\/\s*([\w.]*)/.exec(rest) ?? [];
  return /[=(,:?[]\s*<$/.test(before) ? `“</${tag}>” has no matching “<${tag}>”.` : undefined;
}
