import { checkModule } from './parse-again.ts';
import { parseScript } from './parse-script.ts';
import { wordPlainMistake } from './syntax-words.ts';

/** How a script is run: as a module, as a classic script, or not known from its name alone. */
export type ScriptKind = 'module' | 'classic' | 'either';

/** What is wrong with a source; line and column count from 1. */
export interface SyntaxProblem {
  sentence: string;
  line: number;
  column: number;
  /** The file that it is in, where that is not the one that was compiled. */
  path?: string;
  /** An error, which keeps it from running, unless this is said. */
  severity?: 'warning';
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

/** The index at which a script cannot be read any further, as a module; undefined where it can. */
export function findStop(source: string): number | undefined {
  return tryParse(source, 'module')?.pos;
}

function findProblem(source: string, kind: 'module' | 'classic'): SyntaxProblem | undefined {
  const error = tryParse(source, kind);
  return (
    error && {
      sentence: error.message.startsWith("Unexpected character '@'")
        ? 'Browsers don’t support decorators yet. Move the script to a file, where they’re compiled.'
        : wordPlainMistake(error.message, source, error.pos),
      line: error.loc.line,
      column: error.loc.column + 1,
    }
  );
}

function tryParse(source: string, kind: 'module' | 'classic'): AcornError | undefined {
  try {
    if (kind === 'module') checkModule(source);
    else parseScript(source, { ecmaVersion: 'latest', sourceType: 'script', allowHashBang: true });
    return undefined;
  } catch (error) {
    if (isAcornError(error)) return error;
    throw error;
  }
}

interface AcornError extends SyntaxError {
  pos: number;
  loc: { line: number; column: number };
}

function isAcornError(error: unknown): error is AcornError {
  return error instanceof SyntaxError && 'pos' in error && 'loc' in error;
}
