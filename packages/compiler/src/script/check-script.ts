import type { QuickFix } from '@vitrine/project';
import { checkModuleSyntax } from './incremental-parse.ts';
import { parseScript } from './parse-script.ts';
import { describeAcornError } from '../error-messages/syntax-messages.ts';

/** How a script is run: as a module, as a classic script, or unknown from its name alone. */
export type ScriptKind = 'module' | 'classic' | 'either';

/** An error or warning in a source; line and column are 1-based. */
export interface CompileDiagnostic {
  message: string;
  line: number;
  column: number;
  /** The file of the error, if it isn't the compiled one. */
  path?: string;
  /** Omitted for errors, which prevent the file from running. */
  severity?: 'warning';
  /** Quick fixes, the most likely one first. */
  fixes?: readonly QuickFix[];
}

/**
 * Returns the syntax error of a script, or undefined if it has none. A script of kind `either` that
 * parses neither way gets the error for the kind it looks like.
 */
export function checkScript(source: string, kind: ScriptKind): CompileDiagnostic | undefined {
  if (kind !== 'either') return findProblem(source, kind);
  const asModule = findProblem(source, 'module');
  if (!asModule) return undefined;
  const asClassic = findProblem(source, 'classic');
  if (!asClassic) return undefined;
  return /^\s*(?:import|export)\b/m.test(source) ? asModule : asClassic;
}

/** Returns the index of the first syntax error of a module; undefined if there is none. */
export function findSyntaxErrorIndex(source: string): number | undefined {
  return tryParse(source, 'module')?.pos;
}

function findProblem(source: string, kind: 'module' | 'classic'): CompileDiagnostic | undefined {
  const error = tryParse(source, kind);
  return (
    error && {
      message: error.message.startsWith("Unexpected character '@'")
        ? 'Browsers don’t support decorators yet. Move the script to a file, where they’re compiled.'
        : describeAcornError(error.message, source, error.pos),
      line: error.loc.line,
      column: error.loc.column + 1,
    }
  );
}

function tryParse(source: string, kind: 'module' | 'classic'): AcornError | undefined {
  try {
    if (kind === 'module') checkModuleSyntax(source);
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
