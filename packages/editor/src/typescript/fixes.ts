import type ts from 'typescript';
import type { Understanding } from './answers.ts';
import { readDiagnostics } from './code-problems.ts';
import type { Asked, CodeFix, FileEdits } from './messages.ts';
import { format, preferencesFor } from './preferences.ts';
import { toFileEdits } from './text-edits.ts';

/** What mends the problems of a stretch of code. */
export function listFixes(known: Understanding, { path, from, to }: Asked['fixes']): CodeFix[] {
  const { host, service, find } = known;
  const file = find(path);
  if (!file) return [];
  const touched = [
    ...readDiagnostics(known, file),
    ...service.getSuggestionDiagnostics(file.fileName),
  ]
    .map(({ start = 0, length = 0, code }) => ({ start, end: start + length, code }))
    .filter(({ start, end }) => start <= to && end >= from);
  const found = touched.flatMap(({ start, end, code }) =>
    service.getCodeFixesAtPosition(file.fileName, start, end, [code], format, preferencesFor(file)),
  );
  const fixes = found.flatMap((fix) => toFix(fix, host) ?? []);
  return [...new Map(fixes.map((fix) => [fix.label, fix])).values()];
}

/** Undefined where it does more than edit files of the project. */
function toFix(
  { description, changes, commands = [] }: ts.CodeFixAction,
  host: Understanding['host'],
): CodeFix | undefined {
  const files = commands.length > 0 ? undefined : toFileEdits(changes, host);
  return files && files.length > 0 ? { label: description, files } : undefined;
}

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
