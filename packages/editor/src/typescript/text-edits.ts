import type ts from 'typescript';
import { moveEditsIntoScripts, toProjectPath } from './embedded-scripts.ts';
import type { FileEdits, TextEdit } from './messages.ts';
import type { ProjectHost } from './project-host.ts';

function toEdits(changes: readonly ts.TextChange[]): TextEdit[] {
  return changes.map(({ span, newText }) => ({
    from: span.start,
    to: span.start + span.length,
    insert: newText,
  }));
}

/**
 * Edits by project file. Undefined if a change creates a file or affects one outside of the
 * project.
 */
export function toFileEdits(
  changes: readonly ts.FileTextChanges[],
  host: ProjectHost,
): FileEdits[] | undefined {
  if (!changes.every(({ fileName, isNewFile }) => !isNewFile && host.isProjectFile(fileName))) {
    return undefined;
  }
  return changes.map((change) => toEditsOfFile(change, host));
}

/** The edits of one file. In markup they stay inside of its scripts. */
export function toEditsOfFile(
  { fileName, textChanges }: ts.FileTextChanges,
  host: ProjectHost,
): FileEdits {
  const path = toProjectPath(fileName);
  const edits = toEdits(textChanges);
  const isEmbedded = host.fileNameOf(path) !== `/${path}`;
  return {
    path,
    edits: isEmbedded ? moveEditsIntoScripts(edits, host.findText(path) ?? '') : edits,
  };
}
