/**
 * Lint rules' CSS data can be older than the browser: what the browser supports is not reported.
 */
import type { LintDiagnostic } from '../lint/messages.ts';

const propertyRules: ReadonlySet<string> = new Set([
  'css/no-invalid-properties',
  'unknownProperties',
  'unknownVendorSpecificProperties',
]);
const atRuleRules: ReadonlySet<string> = new Set(['css/no-invalid-at-rules', 'unknownAtRules']);

/**
 * True if this browser supports what a lint diagnostic reports as invalid.
 * @param text The stylesheet, or a file with styles in it.
 */
export function isSupportedByBrowser(text: string, { rule, from }: LintDiagnostic): boolean {
  if (!propertyRules.has(rule) && !atRuleRules.has(rule)) return false;
  const plain = text.replaceAll(/\/\*[^]*?\*\//g, (comment) => ' '.repeat(comment.length));
  if (propertyRules.has(rule)) return supportsDeclaration(findStatement(plain, from));
  if (plain[from] === '@') return supportsAtRule(plain.slice(from, findEnd(plain, from)));
  const around = plain.lastIndexOf('@', from);
  const word = /^[\w-]+/.exec(plain.slice(from))?.[0] ?? '';
  return around !== -1 && supportsAtRule(plain.slice(around, findEnd(plain, around)), word);
}

/** The declaration around an offset, such as "color: red". */
function findStatement(text: string, offset: number): string {
  let start = offset;
  while (start > 0 && !/[;{}]/.test(text[start - 1] ?? '')) start -= 1;
  return text.slice(start, findEnd(text, start)).replace(/[;}]$/, '').trim();
}

/** End of the statement that starts at an offset: after its `;` or block. */
function findEnd(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at] ?? '';
    if (/[([{]/.test(character)) depth += 1;
    else if (/[)\]}]/.test(character)) depth -= 1;
    if (depth < 0) return at;
    if (depth === 0 && /[;}]/.test(character)) return at + 1;
  }
  return text.length;
}

function supportsDeclaration(declaration: string): boolean {
  const [, name = '', value = ''] = /^([\w-]+)\s*:\s*([^]+)$/.exec(declaration) ?? [];
  return name !== '' && CSS.supports(name, value.replace(/\s*!\s*important$/i, ''));
}

/**
 * True if the browser parses an at-rule. With `descriptor`, only if the rule also keeps that
 * descriptor, which browsers drop if they do not know it.
 */
function supportsAtRule(rule: string, descriptor = ''): boolean {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(rule);
  return [...sheet.cssRules].some(({ cssText }) => cssText.includes(descriptor));
}
