/** Converts errors of Vue's compiler to diagnostics with positions in the file. */
import type { CompileDiagnostic } from '../script/check-script.ts';
import { startPosition } from '../component/finish-component.ts';
import type { Position } from '../source-map.ts';

/** Converts errors of one source. An unclosed “{{” causes further errors, which are omitted. */
export function describeVueErrors(errors: readonly unknown[], source: string): CompileDiagnostic[] {
  const described = errors.map((error) => describeVueError(error, source));
  const open = described.filter(({ message }) => message === unclosedInterpolation);
  return open.length > 0 ? open : described;
}

/** Converts an error to a diagnostic. Rethrows errors that aren't about the source. */
export function describeVueError(error: unknown, source: string): CompileDiagnostic {
  const message = typeof error === 'string' ? error : messageOf(error);
  const location = findLoc(error) ?? findInCodeFrame(message) ?? startPosition;
  return { message: formatMessage(message, tokenAt(source, location)), ...location };
}

function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message;
  throw error;
}

/** Returns the position of an error with `loc.start`. Errors of the parser have a different `loc`. */
function findLoc(error: unknown): Position | undefined {
  if (typeof error !== 'object' || error === null || !('loc' in error)) return undefined;
  const { loc } = error;
  if (typeof loc !== 'object' || loc === null || !('start' in loc)) return undefined;
  const { start } = loc;
  if (typeof start !== 'object' || start === null) return undefined;
  if (!('line' in start && 'column' in start)) return undefined;
  const { line, column } = start;
  return typeof line === 'number' && typeof column === 'number' ? { line, column } : undefined;
}

/**
 * Finds the position in the code frame of a thrown error: "12 |  let a = ;", and below it
 * "   |          ^". A position at the start of a line is marked after the end of the previous one.
 */
function findInCodeFrame(message: string): Position | undefined {
  const lines = message.split('\n');
  const at = lines.findIndex((line) => /^ {3}\| {2} *\^/.test(line));
  const [, number, text = ''] = /^(\d+) *\| {2}(.*)/.exec(lines[at - 1] ?? '') ?? [];
  if (number === undefined) return undefined;
  const line = Number(number);
  const column = (lines[at] ?? '').indexOf('^') - 5;
  return column > text.length + 1 ? { line: line + 1, column: 1 } : { line, column };
}

/** Returns the word, punctuation character or start of a tag at a position. */
function tokenAt(source: string, { line, column }: Position): string {
  const text = source.split('\n')[line - 1]?.slice(column - 1) ?? '';
  return /^(?:<\/?[\w.:-]+>?|[\w$]+|\S)/.exec(text)?.[0].slice(0, 30) ?? '';
}

const unclosedInterpolation = '“{{” is missing its closing “}}”.';

/** Patterns of Vue's messages, and their translations. */
const translations: readonly [RegExp, (token: string, rest: string) => string][] = [
  [/^At least one <template>/, () => 'A component needs a <template> or a <script>.'],
  [/^Single file component can contain only one (<[^>]*>)/, (_, tag) => `Duplicate ${tag}.`],
  [
    /cannot contain ES module exports/,
    () => '<script setup> can’t have exports. Move the export to a separate <script>.',
  ],
  [/^Element is missing end tag/, (token) => `${token.replace(/>?$/, '>')} isn’t closed.`],
  [/^Interpolation end sign was not found/, () => unclosedInterpolation],
  [/^Invalid end tag/, (token) => `${token} has no matching start tag.`],
  [
    /^Error parsing JavaScript expression: Unexpected token/,
    () => 'This expression is incomplete or has invalid syntax.',
  ],
  [/^Error parsing JavaScript expression: (.*)/, (_, rest) => `Invalid expression: ${rest}`],
  [/^Identifier '(.+)' has already been declared/, (_, name) => `“${name}” is already declared.`],
  [
    /^(v-if)\/v-else-if is missing expression/,
    (token) => `${/^v-[\w-]+/.exec(token)?.[0] ?? 'v-if'} needs a condition: v-if="…".`,
  ],
  [/^v-else\/v-else-if has no adjacent/, () => 'v-else must directly follow an element with v-if.'],
  [/^v-for has invalid|^v-for is missing/, () => 'Invalid v-for. Use v-for="item in items".'],
  [/^(v-\w+) is missing expression/, (_, name) => `${name} needs a value: ${name}="…".`],
  [/^v-model value must be/, () => 'v-model needs an assignable value, such as a ref.'],
  [/^Duplicate (\w+)\(\) call/, (_, name) => `${name}() can only be called once.`],
  [
    /^<script> and <script setup> must have the same language/,
    () => 'Both scripts of a component must have the same lang.',
  ],
];

/** "[vue/compiler-sfc] Unexpected token (3:5)\n\n…" at "}" → "Unexpected “}”." */
function formatMessage(message: string, token: string): string {
  const [first = ''] = message.replace(/^\[@?vue\/compiler-sfc\] /, '').split('\n\n');
  const plain = first.replace(/ \(\d+:\d+\)/g, '').replace(/\s*https?:\/\/\S+/g, '');
  for (const [pattern, translate] of translations) {
    const found = pattern.exec(plain);
    if (found) return finish(translate(token, found[1] ?? ''));
  }
  if (!/^Unexpected token(?:, expected .*)?$/.test(plain)) return finish(plain);
  return token === '' ? 'Unexpected end of code.' : `Unexpected “${token}”.`;
}

function finish(text: string): string {
  const quoted = text.trim().replace(/`([^`]*)`/g, '“$1”');
  const ended = `${quoted.replace(/[.\s]+$/, '')}.`;
  // Directives are lowercase.
  return ended.startsWith('v-') ? ended : ended.slice(0, 1).toUpperCase() + ended.slice(1);
}
