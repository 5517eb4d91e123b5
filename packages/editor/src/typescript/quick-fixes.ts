import type ts from 'typescript';
import { listTypeScriptDiagnostics } from './code-diagnostics.ts';
import type { LanguageParams, CodeAction, FileEdits } from './messages.ts';
import { formatSettings, getUserPreferences } from './user-preferences.ts';
import { toFileEdits } from './text-edits.ts';
import type { TypeScriptContext } from './typescript-context.ts';

/** Lists quick fixes for the diagnostics in a range of a file. */
export function listScriptQuickFixes(
  context: TypeScriptContext,
  { path, from, to }: LanguageParams['fixes'],
): CodeAction[] {
  const { host, service, findSourceFile } = context;
  const file = findSourceFile(path);
  if (!file) return [];
  const diagnostics = [
    ...listTypeScriptDiagnostics(context, file),
    ...service.getSuggestionDiagnostics(file.fileName),
  ]
    .map(({ start = 0, length = 0, code }) => ({ start, end: start + length, code }))
    .filter(({ start, end }) => start <= to && end >= from);
  const actions = diagnostics.flatMap(({ start, end, code }) =>
    service.getCodeFixesAtPosition(
      file.fileName,
      start,
      end,
      [code],
      formatSettings,
      getUserPreferences(file, host.options),
    ),
  );
  const fixes = actions.flatMap((fix) => toQuickFix(fix, host) ?? []);
  return [...new Map(fixes.map((fix) => [fix.label, fix])).values()];
}

/** Undefined for a fix that does more than edit files of the project. */
function toQuickFix(
  { description, changes, commands = [] }: ts.CodeFixAction,
  host: TypeScriptContext['host'],
): CodeAction | undefined {
  const files = commands.length > 0 ? undefined : toFileEdits(changes, host);
  return files && files.length > 0 ? { label: description, files } : undefined;
}

/** Edits that sort a file's imports and remove unused ones. */
export function listOrganizeImportsEdits(
  { host, service, findSourceFile }: TypeScriptContext,
  { path }: LanguageParams['imports'],
): FileEdits[] {
  const file = findSourceFile(path);
  if (!file) return [];
  const changes = service.organizeImports(
    { type: 'file', fileName: file.fileName },
    formatSettings,
    getUserPreferences(file, host.options),
  );
  return toFileEdits(changes, host) ?? [];
}
