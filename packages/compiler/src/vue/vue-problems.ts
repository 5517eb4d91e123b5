/** What Vue's compiler throws or collects, in our words and at its place in the file. */
import type { SyntaxProblem } from '../check-script.ts';
import { start } from '../finish-component.ts';
import type { Position } from '../source-map.ts';

/** What it collects of one source. Behind a “{{” that nothing closes, it finds the end of no element. */
export function describeVueErrors(errors: readonly unknown[], source: string): SyntaxProblem[] {
  const described = errors.map((error) => describeVueError(error, source));
  const open = described.filter(({ sentence }) => sentence === openExpression);
  return open.length > 0 ? open : described;
}

/** Rethrows what is not about the source. */
export function describeVueError(error: unknown, source: string): SyntaxProblem {
  const message = typeof error === 'string' ? error : messageOf(error);
  const place = findLoc(error) ?? findInFrame(message) ?? start;
  return { sentence: sentenceOf(message, tokenAt(source, place)), ...place };
}

function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message;
  throw error;
}

/** Its errors have `loc.start` where it knows the place; those of its parser have another `loc`. */
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
 * In what it throws only the frame tells where: "12 |  let a = ;", and below it "   |          ^".
 * A place that begins a line is marked behind the end of the line before.
 */
function findInFrame(message: string): Position | undefined {
  const lines = message.split('\n');
  const at = lines.findIndex((line) => /^ {3}\| {2} *\^/.test(line));
  const [, number, text = ''] = /^(\d+) *\| {2}(.*)/.exec(lines[at - 1] ?? '') ?? [];
  if (number === undefined) return undefined;
  const line = Number(number);
  const column = (lines[at] ?? '').indexOf('^') - 5;
  return column > text.length + 1 ? { line: line + 1, column: 1 } : { line, column };
}

/** The word or sign that stands there, or the start of a tag. */
function tokenAt(source: string, { line, column }: Position): string {
  const text = source.split('\n')[line - 1]?.slice(column - 1) ?? '';
  return /^(?:<\/?[\w.:-]+>?|[\w$]+|\S)/.exec(text)?.[0].slice(0, 30) ?? '';
}

const openExpression = '“{{” is not closed by “}}”.';

/** Vue's sentences that speak of it, or say less than they could. */
const sentences: readonly [RegExp, (token: string, rest: string) => string][] = [
  [/^At least one <template>/, () => 'A component needs a <template> or a <script>.'],
  [
    /^Single file component can contain only one (<[^>]*>)/,
    (_, tag) => `${tag} stands here twice.`,
  ],
  [
    /cannot contain ES module exports/,
    () => 'A <script setup> exports nothing. Put the export into a <script> beside it.',
  ],
  [/^Element is missing end tag/, (token) => `${token.replace(/>?$/, '>')} is not closed.`],
  [/^Interpolation end sign was not found/, () => openExpression],
  [/^Invalid end tag/, (token) => `${token} closes nothing.`],
  [
    /^Error parsing JavaScript expression: Unexpected token/,
    () => 'This expression ends too early, or something in it is wrong.',
  ],
  [/^Error parsing JavaScript expression: (.*)/, (_, rest) => `This is no expression: ${rest}`],
  [/^Identifier '(.+)' has already been declared/, (_, name) => `“${name}” is declared twice.`],
  [
    /^(v-if)\/v-else-if is missing expression/,
    (token) => `${/^v-[\w-]+/.exec(token)?.[0] ?? 'v-if'} needs a condition: v-if="…".`,
  ],
  [
    /^v-else\/v-else-if has no adjacent/,
    () => 'v-else needs an element with v-if right before it.',
  ],
  [/^v-for has invalid|^v-for is missing/, () => 'v-for is written v-for="item in items".'],
  [/^(v-\w+) is missing expression/, (_, name) => `${name} needs a value: ${name}="…".`],
  [
    /^v-model value must be/,
    () => 'v-model needs something that can be assigned to, such as a ref.',
  ],
  [/^Duplicate (\w+)\(\) call/, (_, name) => `${name}() is called twice; once is right.`],
  [
    /^<script> and <script setup> must have the same language/,
    () => 'Both scripts of a component have to be of the same language (lang).',
  ],
];

/** "[vue/compiler-sfc] Unexpected token (3:5)\n\n…" at "}" → "“}” cannot stand here." */
function sentenceOf(message: string, token: string): string {
  const [first = ''] = message.replace(/^\[@?vue\/compiler-sfc\] /, '').split('\n\n');
  const plain = first.replace(/ \(\d+:\d+\)/g, '').replace(/\s*https?:\/\/\S+/g, '');
  for (const [pattern, write] of sentences) {
    const found = pattern.exec(plain);
    if (found) return finish(write(token, found[1] ?? ''));
  }
  if (!/^Unexpected token(?:, expected .*)?$/.test(plain)) return finish(plain);
  return token === '' ? 'The code ends too early.' : `“${token}” cannot stand here.`;
}

function finish(text: string): string {
  const quoted = text.trim().replace(/`([^`]*)`/g, '“$1”');
  const ended = `${quoted.replace(/[.\s]+$/, '')}.`;
  // Directives are written small.
  return ended.startsWith('v-') ? ended : ended.slice(0, 1).toUpperCase() + ended.slice(1);
}
