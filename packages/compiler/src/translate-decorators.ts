/**
 * Decorators of the standard, and fields with `accessor`, in what browsers run: by Babel, in the same
 * build in the browser and on the server, loaded with the first script that holds some. What else is
 * new in a script stays as it is.
 */
import { decode } from '@jridgewell/sourcemap-codec';
import babel from '@babel/standalone/babel.min.js';
import type { SyntaxProblem } from './check-script.ts';
import type { ModuleSource } from './compile-module.ts';
import { followMap, toScriptMap } from './mapped-code.ts';
import { createPlaceFinder, type Position } from './source-map.ts';
import { wordPlainMistake } from './syntax-words.ts';
import type { TransformedScript } from './transform-script.ts';

/** `typed` is what became of the source where it has types or JSX. Never throws on bad source. */
export function translateDecorators(
  { path, text }: ModuleSource,
  typed: TransformedScript | undefined,
): TransformedScript {
  const code = typed?.code ?? text;
  try {
    const made = babel.transform(code, options);
    if (typeof made?.code !== 'string' || !made.map) throw new Error(`${path} came without a map`);
    const own = decode(made.map.mappings);
    const mappings = typed?.map ? followMap(own, decode(typed.map.mappings)) : own;
    return { code: made.code, map: toScriptMap(path, text, mappings), problems: [] };
  } catch (error) {
    if (!isBabelError(error)) throw error;
    const problem = describe(error, code);
    const place = typed?.map && createPlaceFinder(typed.map.mappings)(problem);
    return { code: '', map: undefined, problems: [{ ...problem, ...place }] };
  }
}

const options: Parameters<typeof babel.transform>[1] = {
  plugins: [['proposal-decorators', { version: '2023-11' }]],
  sourceType: 'unambiguous',
  sourceMaps: true,
  compact: false,
  configFile: false,
  babelrc: false,
};

interface BabelError extends Error {
  /** Columns count from 0. */
  loc: Position & { index: number };
  reasonCode?: string;
}

function isBabelError(error: unknown): error is BabelError {
  return error instanceof Error && 'loc' in error && 'code' in error;
}

const sentences: Readonly<Record<string, string>> = {
  UnexpectedLeadingDecorator: 'Decorators can only be used on classes and class members.',
  DecoratorConstructor: 'Constructors can’t have decorators. Put them before the class.',
  UnsupportedPropertyDecorator:
    'Object properties can’t have decorators. Only classes and class members can.',
  UnsupportedParameterDecorator:
    'Parameter decorators need “experimentalDecorators” in tsconfig.json.',
  TrailingDecorator: 'Expected a class or class member after the decorator.',
};

/** "unknown: Unexpected token (1:19)\n\n…" → our words; a place that counts from 1. */
function describe({ message, loc, reasonCode }: BabelError, code: string): SyntaxProblem {
  const [first = ''] = message.split('\n');
  const plain = first.replace(/^unknown: /, '');
  return {
    sentence: sentences[reasonCode ?? ''] ?? wordPlainMistake(plain, code, loc.index),
    line: loc.line,
    column: loc.column + 1,
  };
}
