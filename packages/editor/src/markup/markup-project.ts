import type { CodeLocation } from '../typescript/messages.ts';
import type { SharedName } from './shared-names.ts';
import { MarkupFile } from './markup-file.ts';

/** An occurrence of a name in a file. */
export interface NameOccurrence extends SharedName {
  readonly file: MarkupFile;
}

/** The project's files in the worker. */
export class MarkupProject {
  readonly #files = new Map<string, MarkupFile>();

  /** Applies changes. Files without text are known by path only. */
  changeFiles(changed: ReadonlyMap<string, string>, removed: readonly string[]): void {
    for (const path of removed) this.#files.delete(path);
    for (const [path, text] of changed) this.#files.set(path, new MarkupFile(path, text));
  }

  find(path: string): MarkupFile | undefined {
    return this.#files.get(path);
  }

  paths(): string[] {
    return [...this.#files.keys()];
  }

  /** All occurrences of names of a kind, or of one name. */
  *findNames(kind: SharedName['kind'], name?: string): Generator<NameOccurrence> {
    for (const file of this.#files.values())
      for (const found of file.names)
        if (found.kind === kind && (name === undefined || found.name === name))
          yield { ...found, file };
  }
}

/** Resolves a link in a file as a page at the project's root would. */
export function resolveLink(reference: string, base: string): string | undefined {
  return URL.canParse(reference, base) ? new URL(reference, base).href : undefined;
}

/** The path of a file URI: "file:///a/b.css" → "a/b.css". */
export function toProjectFilePath(uri: string): string {
  return decodeURIComponent(new URL(uri).pathname.slice(1));
}

/** Converts an offset to a line and column. */
export function toCodeLocation({ path, text }: MarkupFile, offset: number): CodeLocation {
  const before = text.slice(0, offset);
  return {
    path,
    line: before.split('\n').length,
    column: offset - before.lastIndexOf('\n'),
  };
}

/** The line at an offset, trimmed and shortened. */
export function getLineText({ text }: MarkupFile, offset: number): string {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  const end = text.indexOf('\n', offset);
  const line = text.slice(start, end === -1 ? undefined : end);
  return line.trim().slice(0, 200);
}
