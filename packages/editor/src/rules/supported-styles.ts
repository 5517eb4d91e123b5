/** Tables of CSS are older than the browser: what it takes is no mistake, whatever they say. */
import type { RuleProblem } from '../lint/messages.ts';

const ofProperties: ReadonlySet<string> = new Set([
  'css/no-invalid-properties',
  'unknownProperties',
  'unknownVendorSpecificProperties',
]);
const ofAtRules: ReadonlySet<string> = new Set(['css/no-invalid-at-rules', 'unknownAtRules']);

/** Whether this browser takes what a rule warns of, in a text of CSS or with CSS in it. */
export function isSupportedStyle(text: string, { rule, from }: RuleProblem): boolean {
  if (!ofProperties.has(rule) && !ofAtRules.has(rule)) return false;
  const plain = text.replaceAll(/\/\*[^]*?\*\//g, (comment) => ' '.repeat(comment.length));
  if (ofProperties.has(rule)) return takesDeclaration(statementAt(plain, from));
  if (plain[from] === '@') return takesAtRule(plain.slice(from, endOf(plain, from)));
  const around = plain.lastIndexOf('@', from);
  const word = /^[\w-]+/.exec(plain.slice(from))?.[0] ?? '';
  return around !== -1 && takesAtRule(plain.slice(around, endOf(plain, around)), word);
}

/** "color: red" around an offset. */
function statementAt(text: string, offset: number): string {
  let start = offset;
  while (start > 0 && !/[;{}]/.test(text[start - 1] ?? '')) start -= 1;
  return text.slice(start, endOf(text, start)).replace(/[;}]$/, '').trim();
}

/** Where a statement that begins at an offset ends: behind its `;`, or its block. */
function endOf(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const sign = text[at] ?? '';
    if (/[([{]/.test(sign)) depth += 1;
    else if (/[)\]}]/.test(sign)) depth -= 1;
    if (depth < 0) return at;
    if (depth === 0 && /[;}]/.test(sign)) return at + 1;
  }
  return text.length;
}

function takesDeclaration(declaration: string): boolean {
  const [, name = '', value = ''] = /^([\w-]+)\s*:\s*([^]+)$/.exec(declaration) ?? [];
  return name !== '' && CSS.supports(name, value.replace(/\s*!\s*important$/i, ''));
}

/** `kept` is a descriptor in it, which goes where it is not known. */
function takesAtRule(rule: string, kept = ''): boolean {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(rule);
  return [...sheet.cssRules].some(({ cssText }) => cssText.includes(kept));
}
