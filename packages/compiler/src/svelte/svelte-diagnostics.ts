/** Converts errors and warnings of Svelte's compiler to diagnostics. */
import type { Warning } from 'svelte/compiler';
import type { CompileDiagnostic } from '../script/check-script.ts';
import { startPosition } from '../component/finish-component.ts';
import type { Position } from '../source-map.ts';

/** Converts an error, with 0-based columns, to a diagnostic. Rethrows errors that aren't about the source. */
export function describeSvelteError(error: unknown, source: string): CompileDiagnostic {
  if (!(error instanceof Error) || !('code' in error)) throw error;
  const location = findPosition(error) ?? startPosition;
  if (isTagAsPattern(error.message, source, location))
    return { message: 'Expected “}”.', ...location, column: location.column - 2 };
  return { message: formatMessage(error.message, source, location), ...location };
}

/**
 * Converts warnings. Skips those about accessibility, which are checked in the page, and those about
 * styles that were compiled from another language, whose positions are wrong.
 */
export function describeSvelteWarnings(
  warnings: readonly Pick<Warning, 'code' | 'message'>[],
  areStylesWritten: boolean,
): CompileDiagnostic[] {
  return warnings
    .filter(({ code }) => !/^a11y[-_]/.test(code) && (areStylesWritten || !/^css[-_]/.test(code)))
    .map((warning) => ({
      message: firstSentence(warning.message),
      ...(findPosition(warning) ?? startPosition),
      severity: 'warning',
    }));
}

function findPosition(error: object): Position | undefined {
  if (!('start' in error) || typeof error.start !== 'object' || error.start === null)
    return undefined;
  if (!('line' in error.start && 'column' in error.start)) return undefined;
  const { line, column } = error.start;
  return typeof line === 'number' && typeof column === 'number'
    ? { line, column: column + 1 }
    : undefined;
}

/** Whether an unclosed expression contains the next end tag: “{a</p>” is parsed as a comparison with “/p>”. */
function isTagAsPattern(message: string, source: string, { line, column }: Position): boolean {
  const before = source.split('\n')[line - 1]?.slice(0, column - 1) ?? '';
  return /regular expression/.test(message) && before.endsWith('</');
}

/** Syntax that Svelte leaves to preprocessors. It works in separate scripts. */
const unsupportedSyntax =
  /^TypeScript language features like (.+?)(?: \(.*?\))? are not natively supported/;

/** "`<p>` was left open\nhttps://…" → "“<p>” was left open." */
function firstSentence(message: string): string {
  const [first = ''] = message.split('\n');
  return `${first.replace(/`([^`]*)`/g, '“$1”').replace(/[.\s]+$/, '')}.`;
}

function formatMessage(message: string, source: string, { line, column }: Position): string {
  const plain = firstSentence(message).slice(0, -1);
  const [, feature = plain.startsWith("Unexpected character '@'") && 'decorators'] =
    unsupportedSyntax.exec(plain) ?? [];
  if (feature)
    return `Svelte doesn’t support ${feature} here. Move the code to a separate file and import it.`;
  if (plain !== 'Unexpected token') return translateMessage(plain) ?? `${plain}.`;
  const rest = source.split('\n')[line - 1]?.slice(column - 1) ?? '';
  const token = /^(?:[\w$]+|\S)/.exec(rest)?.[0];
  return token === undefined ? 'Unexpected end of code.' : `Unexpected “${token.slice(0, 30)}”.`;
}

/** Patterns of Svelte's messages, and their translations. */
const translations: readonly [RegExp, (found: RegExpExecArray) => string][] = [
  [/^Block was left open/, () => 'This block isn’t closed. For example, {#if …} ends with {/if}.'],
  [/^Expected token (each|if|await|key|snippet)$/, ([, name]) => `Expected “{/${name}}”.`],
  [/^Unexpected end of input/, () => 'Unexpected end of code.'],
  [/^Expected token (.+)$/, ([, mark]) => `Expected “${mark}”.`],
  [
    /^“(\$\w+)” is an illegal variable name/,
    ([, name]) => `“${name}” isn’t a rune, and other names can’t start with “$”.`,
  ],
  [/^Cannot assign to constant/, () => 'Can’t assign to a “const”.'],
  [
    /^Cannot use “export let” in runes mode/,
    () => '“export let” can’t be used with runes. Use let { name } = $props().',
  ],
  [/^A component can have a single top-level “<script/, () => 'Duplicate <script>.'],
  [/^A component can have a single top-level “<style/, () => 'Duplicate <style>.'],
  [/^Declaration cannot be empty/, () => 'Missing value.'],
];

function translateMessage(plain: string): string | undefined {
  for (const [pattern, translate] of translations) {
    const found = pattern.exec(plain);
    if (found) return translate(found);
  }
  return undefined;
}
