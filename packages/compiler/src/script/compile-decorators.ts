/**
 * Compiles standard decorators and `accessor` fields with Babel, in the same build in the browser and
 * on the server, loaded with the first script that uses them. Other new syntax stays unchanged.
 */
import { decode } from '@jridgewell/sourcemap-codec';
import babel from '@babel/standalone/babel.min.js';
import type { CompileDiagnostic } from './check-script.ts';
import { composeMappings, createScriptMap } from '../component/mapped-code.ts';
import { createPositionMapper, type Position } from '../source-map.ts';
import { describeAcornError } from '../error-messages/syntax-messages.ts';
import type { TransformedScript } from './transform-script.ts';
import type { ModuleSource } from '../compile-context.ts';

/** Compiles decorators of a source, or of its transform if it has types or JSX. Reports bad source in `problems`. */
export function compileDecorators(
  { path, text }: ModuleSource,
  transformed: TransformedScript | undefined,
): TransformedScript {
  const code = transformed?.code ?? text;
  try {
    const output = babel.transform(code, options);
    if (typeof output?.code !== 'string' || !output.map)
      throw new Error(`${path} was compiled without a source map`);
    const own = decode(output.map.mappings);
    const mappings = transformed?.map
      ? composeMappings(own, decode(transformed.map.mappings))
      : own;
    return { code: output.code, map: createScriptMap(path, text, mappings), problems: [] };
  } catch (error) {
    if (!isBabelError(error)) throw error;
    const problem = describe(error, code);
    const location = transformed?.map && createPositionMapper(transformed.map.mappings)(problem);
    return { code: '', map: undefined, problems: [{ ...problem, ...location }] };
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
  /** The column is 0-based. */
  loc: Position & { index: number };
  reasonCode?: string;
}

function isBabelError(error: unknown): error is BabelError {
  return error instanceof Error && 'loc' in error && 'code' in error;
}

const messages: Readonly<Record<string, string>> = {
  UnexpectedLeadingDecorator: 'Decorators can only be used on classes and class members.',
  DecoratorConstructor: 'Constructors can’t have decorators. Put them before the class.',
  UnsupportedPropertyDecorator:
    'Object properties can’t have decorators. Only classes and class members can.',
  UnsupportedParameterDecorator:
    'Parameter decorators need “experimentalDecorators” in tsconfig.json.',
  TrailingDecorator: 'Expected a class or class member after the decorator.',
};

/** Converts a Babel error, such as "unknown: Unexpected token (1:19)\n\n…", to a 1-based diagnostic. */
function describe({ message, loc, reasonCode }: BabelError, code: string): CompileDiagnostic {
  const [first = ''] = message.split('\n');
  const plain = first.replace(/^unknown: /, '');
  return {
    message: messages[reasonCode ?? ''] ?? describeAcornError(plain, code, loc.index),
    line: loc.line,
    column: loc.column + 1,
  };
}
