/** Slips in JSX, where HTML is written otherwise. */
import { readToken } from './slip-words.ts';

/** Undefined where the place is not such a one. */
export function wordJsxSlip(source: string, position: number): string | undefined {
  const found = readToken(source, position);
  const before = source.slice(0, position).trimEnd();
  if (found === '!' && before.endsWith('<'))
    return 'JSX has no “<!-- -->”. A comment in it is written {/* … */}.';
  if (found === '/' && before.endsWith('<')) return wordClosing(before, source.slice(position));
  if (statements.includes(found) && /<[A-Za-z][^<>]*>[^<]*\{$/.test(before))
    return `“${found}” cannot stand in the braces of JSX: they hold a value, such as {a ? b : c}.`;
  if (found === ':' && /\bstyle=\{\s*[\w$]+$/.test(before))
    return 'A style is an object, in braces of its own: style={{ color: "red" }}.';
  if (/<[A-Za-z][^<>{}]*\s\{$/.test(before) && isName(found))
    return `An attribute has a name: name={${found}}. Braces alone take “...”: {...${found}}.`;
  if (/<[A-Za-z][^<>]*\s[\w-]+=$/.test(before) && /^[\w$]/.test(found))
    return 'A value in JSX stands in quotes or in braces: name="text" or name={value}.';
  return undefined;
}

const statements = ['if', 'for', 'while', 'switch', 'return', 'const', 'let', 'var'];

function isName(token: string): boolean {
  return /^[\p{ID_Start}$_]/u.test(token);
}

function wordClosing(before: string, rest: string): string | undefined {
  if (/\{[^{}<]*<$/.test(before)) return 'The “{” before this tag is not closed by “}”.';
  const [, tag = ''] = /^\/\s*([\w.]*)/.exec(rest) ?? [];
  return /[=(,:?[]\s*<$/.test(before)
    ? `“</${tag}>” closes nothing: there is no “<${tag}>” for it.`
    : undefined;
}
