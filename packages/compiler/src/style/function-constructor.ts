/**
 * Sass and Less create a few constant functions with `new Function(…)`, which the content security
 * policy of the app's worker forbids. Imported before them, this module replaces `Function` to return
 * equivalent functions for these texts. All other texts are passed to the browser, which rejects them.
 */
const typeOf = (value: unknown) => typeof value;

/** Sass's exception class, whose internal property isn't enumerable. */
function makeException() {
  return class Exception extends Error {
    constructor(dartException: unknown, message: string) {
      super(message);
      Object.defineProperty(this, '_dartException', { value: dartException, enumerable: false });
    }
    override toString(): string {
      return this.message;
    }
  };
}

function nameType(value: unknown): unknown {
  return typeof value === 'object' && value !== null
    ? value.constructor.name || 'object'
    : 'object';
}

function raise(error: unknown): never {
  throw error;
}

/** Functions by the start of their text. */
const knownFunctions: readonly [text: string, made: (...args: never[]) => unknown][] = [
  ['return typeof value', typeOf],
  ['return value === undefined;', (value: unknown) => value === undefined],
  ['return value === null;', (value: unknown) => value === null],
  ['throw error;', raise],
  ['if (value && value.constructor && value.constructor.name)', nameType],
  ['return class Exception extends Error', makeException],
  ['throw new Error()', () => raise(new Error())],
];

globalThis.Function = new Proxy(Function, {
  construct(native, args: unknown[], target) {
    const body = String(args.at(-1)).trim();
    const found = knownFunctions.find(([text]) => body.startsWith(text));
    if (found) return found[1];
    const made: unknown = Reflect.construct(native, args, target);
    return Object(made);
  },
});
