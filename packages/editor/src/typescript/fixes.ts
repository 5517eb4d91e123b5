import type ts from 'typescript';
import type { Understanding } from './answers.ts';
import { readDiagnostics } from './code-problems.ts';
import type { Asked, CodeFix, FileEdits } from './messages.ts';
import { format, preferencesFor } from './preferences.ts';
import { toFileEdits } from './text-edits.ts';

/** Lists quick fixes for the diagnostics in a range of a file. */
export function listFixes(context: Understanding, { path, from, to }: Asked['fixes']): CodeFix[] {
  const { host, service, find } = context;
  const file = find(path);
  if (!file) return [];
  const diagnostics = [
    ...readDiagnostics(context, file),
    ...service.getSuggestionDiagnostics(file.fileName),
  ]
    .map(({ start = 0, length = 0, code }) => ({ start, end: start + length, code }))
    .filter(({ start, end }) => start <= to && end >= from);
  const actions = diagnostics.flatMap(({ start, end, code }) =>
    service.getCodeFixesAtPosition(file.fileName, start, end, [code], format, preferencesFor(file)),
  );
  const fixes = actions.flatMap((fix) => toQuickFix(fix, host) ?? []);
  return [...new Map(fixes.map((fix) => [fix.label, fix])).values()];
}

/** Undefined for a fix that does more than edit files of the project. */
function toQuickFix(
  { description, changes, commands = [] }: ts.CodeFixAction,
  host: Understanding['host'],
): CodeFix | undefined {
  const files = commands.length > 0 ? undefined : toFileEdits(changes, host);
  return files && files.length > 0 ? { label: description, files } : undefined;
}

/** Edits that sort a file's imports and remove unused ones. */
export function organiseImports(
  { host, service, find }: Understanding,
  { path }: Asked['imports'],
): FileEdits[] {
  const file = find(path);
  if (!file) return [];
  const changes = service.organizeImports(
    { type: 'file', fileName: file.fileName },
    format,
    preferencesFor(file),
  );
  return toFileEdits(changes, host) ?? [];
}
