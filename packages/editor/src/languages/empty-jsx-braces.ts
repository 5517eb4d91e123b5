/**
 * Makes JSX parse braces without an expression: empty, or with only a comment. The grammar of
 * @lezer/javascript 1.5.6 does not accept them, and two in a row break parsing up to the end of the
 * file. A replacement for its `<` tokenizer emits a zero-length number before such a `}`.
 */
import { ExternalTokenizer, type InputStream, type LRParser } from '@lezer/lr';

const unsupportedVersionMessage = '@lezer/javascript has other tokenizers than those of 1.5.6';
const closingBrace = 125;
/** Longest content between the braces, in characters. Longer comments are not written by hand. */
const maxContentLength = 2_000;

/** @returns Options for `LRParser.configure` or `LRLanguage.configure`. */
export function allowEmptyJsxBraces(parser: LRParser): {
  tokenizers: { from: ExternalTokenizer; to: ExternalTokenizer }[];
} {
  const knownTokenizers: unknown = Reflect.get(parser, 'tokenizers');
  const tokenizers: unknown[] = Array.isArray(knownTokenizers) ? knownTokenizers : [];
  // Order of external tokenizers in the grammar: noSemicolon, noSemicolonType, operatorToken, jsx,
  // insertSemicolon.
  const original = tokenizers.filter((each) => each instanceof ExternalTokenizer)[3];
  const readToken: unknown = original && Reflect.get(original, 'token');
  const [number, brace, spread] = ['Number', '}', 'Spread'].map((name) => findTermId(parser, name));
  if (!original || typeof readToken !== 'function') throw new Error(unsupportedVersionMessage);
  if (number === undefined || brace === undefined || spread === undefined)
    throw new Error(unsupportedVersionMessage);
  const replacement = new ExternalTokenizer(
    (input, stack) => {
      // Objects and blocks can be empty. Of the places that cannot, only JSX starts with an
      // expression or `...` in braces. At the start of a statement, zero-length numbers would
      // repeat forever.
      const isExpressionMissing =
        input.next === closingBrace &&
        !stack.canShift(brace) &&
        stack.canShift(number) &&
        stack.canShift(spread);
      if (isExpressionMissing && isAfterOpenBrace(input)) input.acceptToken(number);
      else readToken(input, stack);
    },
    { contextual: true },
  );
  return { tokenizers: [{ from: original, to: replacement }] };
}

function findTermId(parser: LRParser, name: string): number | undefined {
  return parser.nodeSet.types.find((type) => type.name === name)?.id;
}

/** True if only whitespace and comments are between `{` and the position. */
function isAfterOpenBrace(input: InputStream): boolean {
  let text = '';
  for (let distance = 1; distance <= maxContentLength; distance += 1) {
    const code = input.peek(-distance);
    if (code === -1) return false;
    text = String.fromCharCode(code) + text;
    if (text.startsWith('{') && /^\{(?:\s|\/\*[^]*?\*\/|\/\/[^\n]*\n)*$/.test(text)) return true;
  }
  return false;
}
