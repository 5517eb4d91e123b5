import type ts from 'typescript';
import type { FileEdits, TextEdit } from './messages.ts';

export function toEdits(changes: readonly ts.TextChange[]): TextEdit[] {
  return changes.map(({ span, newText }) => ({
    from: span.start,
    to: span.start + span.length,
    insert: newText,
  }));
}

/** By file of the project; undefined where something else would have to change, or be made. */
export function toFileEdits(
  changes: readonly ts.FileTextChanges[],
  isOfProject: (fileName: string) => boolean,
): FileEdits[] | undefined {
  if (!changes.every(({ fileName, isNewFile }) => !isNewFile && isOfProject(fileName))) {
    return undefined;
  }
  return changes.map(({ fileName, textChanges }) => ({
    path: fileName.slice(1),
    edits: toEdits(textChanges),
  }));
}
