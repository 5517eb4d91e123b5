import { findModule } from '@vitrine/compiler';
import type { SourceLocation } from '../../protocol.ts';
import {
  describeUncaughtError,
  escapeIdentifier,
  findMissingExport,
} from '../error-messages/describe-uncaught-error.ts';
import type { ProjectView } from '../project-view.ts';

/**
 * Explains an import of a name that its module doesn't export. Such a file fails before any of its code
 * runs, and browsers don't report where; the test file is searched first, then all others.
 */
export function explainMissingExport(
  message: string,
  testPath: string,
  project: ProjectView,
): { readonly message: string; readonly location: SourceLocation } | undefined {
  const name = findMissingExport(message)?.name;
  if (name === undefined) return undefined;
  const others = project.paths.filter((path) => path !== testPath);
  for (const path of [testPath, ...others]) {
    const location = findImport(path, name, project);
    if (!location) continue;
    const diagnostic = describeUncaughtError(
      { kind: 'error', message, stack: '', ...location },
      project,
    );
    return { message: diagnostic.message, location };
  }
  return undefined;
}

const importClauses = /\b(?:import|export)\s+([^'";]*?)\s*\bfrom\s*(["'])([^"'\n]+)\2/dg;

/** Finds where a file imports this name from a module of the project that doesn't export it. */
function findImport(path: string, name: string, project: ProjectView): SourceLocation | undefined {
  const text = project.read(path) ?? '';
  for (const found of text.matchAll(importClauses)) {
    const [, clause = '', , specifier = ''] = found;
    const at = findName(clause, name);
    if (at === -1) continue;
    const module = findModule(path, specifier, (other) => project.paths.includes(other));
    const exported = module === undefined ? undefined : project.findExports(module);
    if (exported && !exported.includes(name))
      return { path, ...positionOf(text, (found.indices?.[1]?.[0] ?? found.index) + at) };
  }
  return undefined;
}

/** Index of a name in an import clause: in `{ sum, mean as average }` the module's names; in `sum, { mean }` also the default. */
function findName(clause: string, name: string): number {
  if (name === 'default') return /^(?!type\s)[\w$]+\s*(?:,|$)/.test(clause) ? 0 : -1;
  return clause.search(
    new RegExp(String.raw`(?<![\w$]|\bas\s+)${escapeIdentifier(name)}(?![\w$])(?=[^{]*\})`),
  );
}

function positionOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
