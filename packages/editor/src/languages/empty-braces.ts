/**
 * Braces in JSX without an expression, empty or around a comment. The grammar of @lezer/javascript 1.5.6 has no
 * such, and two of them in a row put it off until the end of the file. Its tokenizer for `<` is
 * replaced by one that sees a number of no length in front of such a `}`.
 */
import { ExternalTokenizer, type InputStream, type LRParser } from '@lezer/lr';

const otherTokenizers = '@lezer/javascript has other tokenizers than those of 1.5.6';
const closingBrace = 125;
/** Characters between the braces that are read; more is no comment that people write. */
const mostRead = 2_000;

/** What `configure` of the parser, or of a language with it, takes. */
export function readEmptyBraces(parser: LRParser): {
  tokenizers: { from: ExternalTokenizer; to: ExternalTokenizer }[];
} {
  const known: unknown = Reflect.get(parser, 'tokenizers');
  const tokenizers: unknown[] = Array.isArray(known) ? known : [];
  // In the order of the grammar: noSemicolon, noSemicolonType, operatorToken, jsx, insertSemicolon.
  const from = tokenizers.filter((each) => each instanceof ExternalTokenizer)[3];
  const read: unknown = from && Reflect.get(from, 'token');
  const [number, brace, spread] = ['Number', '}', 'Spread'].map((name) => idOf(parser, name));
  if (!from || typeof read !== 'function') throw new Error(otherTokenizers);
  if (number === undefined || brace === undefined || spread === undefined)
    throw new Error(otherTokenizers);
  const to = new ExternalTokenizer(
    (input, stack) => {
      // An object or a block can be empty. Of what cannot, only JSX begins with an expression or `...`
      // in braces; where a statement begins, such numbers would follow each other without an end.
      const isMissing =
        input.next === closingBrace &&
        !stack.canShift(brace) &&
        stack.canShift(number) &&
        stack.canShift(spread);
      if (isMissing && isBehindBrace(input)) input.acceptToken(number);
      else read(input, stack);
    },
    { contextual: true },
  );
  return { tokenizers: [{ from, to }] };
}

function idOf(parser: LRParser, name: string): number | undefined {
  return parser.nodeSet.types.find((type) => type.name === name)?.id;
}

/** Only space and comments are between `{` and the place. */
function isBehindBrace(input: InputStream): boolean {
  let text = '';
  for (let back = 1; back <= mostRead; back += 1) {
    const code = input.peek(-back);
    if (code === -1) return false;
    text = String.fromCharCode(code) + text;
    if (text.startsWith('{') && /^\{(?:\s|\/\*[^]*?\*\/|\/\/[^\n]*\n)*$/.test(text)) return true;
  }
  return false;
}
