import { parse } from 'acorn';
import { noStandardDecorators } from './decorators.ts';

/** How a script is run: as a module, as a classic script, or not known from its name alone. */
export type ScriptKind = 'module' | 'classic' | 'either';

/** What keeps a source from running; line and column count from 1. */
export interface SyntaxProblem {
  sentence: string;
  line: number;
  column: number;
  /** The file that it is in, where that is not the one that was compiled. */
  path?: string;
}

/**
 * Whether a script parses, before it may replace one that runs. Undefined when it does.
 * An `either` that parses in neither way is described as the kind it looks like.
 */
export function checkScript(source: string, kind: ScriptKind): SyntaxProblem | undefined {
  if (kind !== 'either') return findProblem(source, kind);
  const asModule = findProblem(source, 'module');
  if (!asModule) return undefined;
  const asClassic = findProblem(source, 'classic');
  if (!asClassic) return undefined;
  return /^\s*(?:import|export)\b/m.test(source) ? asModule : asClassic;
}

function findProblem(source: string, kind: 'module' | 'classic'): SyntaxProblem | undefined {
  try {
    parse(source, {
      ecmaVersion: 'latest',
      sourceType: kind === 'module' ? 'module' : 'script',
      allowHashBang: true,
    });
    return undefined;
  } catch (error) {
    if (!isAcornError(error)) throw error;
    return {
      sentence: describe(error.message, source, error.pos),
      line: error.loc.line,
      column: error.loc.column + 1,
    };
  }
}

interface AcornError extends SyntaxError {
  pos: number;
  loc: { line: number; column: number };
}

function isAcornError(error: unknown): error is AcornError {
  return error instanceof SyntaxError && 'pos' in error && 'loc' in error;
}

/** "Unexpected token (3:4)" → "Unexpected “}”." */
function describe(message: string, source: string, position: number): string {
  if (message.startsWith("Unexpected character '@'")) return noStandardDecorators;
  const plain = message.replace(/ \(\d+:\d+\)$/, '');
  if (plain !== 'Unexpected token') return `${plain}.`;
  const token = /\S[\w$]*/y;
  token.lastIndex = position;
  const found = token.exec(source);
  return found ? `Unexpected “${found[0].slice(0, 30)}”.` : 'The code ends too early.';
}
