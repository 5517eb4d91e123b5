import {
  emptyFileSearchQuery,
  FileSearcher,
  type FileMatch,
  type FileSearchQuery,
  type FileSearchResults,
} from '@vitrine/editor/find';
import { byteLength, limits, VitrineError } from '@vitrine/project';
import type { FileOperations } from '../tree/file-operations.ts';
import { ValueStore } from '../value-store.ts';

/** Result of replacing, with an undo function. */
interface ReplaceResult {
  readonly matches: number;
  readonly files: number;
  readonly undo: () => void;
}

/** Search in the files of a project. */
export class ProjectSearch {
  readonly query = new ValueStore<FileSearchQuery>(emptyFileSearchQuery);
  /** Texts of the files, updated shortly after typing. */
  readonly texts: ValueStore<ReadonlyMap<string, string>>;
  readonly #files: () => ReadonlyMap<string, string>;
  readonly #fileOperations: FileOperations;

  constructor(files: () => ReadonlyMap<string, string>, fileOperations: FileOperations) {
    this.texts = new ValueStore(files());
    this.#files = files;
    this.#fileOperations = fileOperations;
  }

  /**
   * Replaces all matches that aren't excluded, as one undo step. Throws `file_too_large`,
   * `project_too_large`, or the error of an invalid regular expression; nothing is changed then.
   */
  async replace(
    query: FileSearchQuery,
    isExcluded: (path: string, match: FileMatch) => boolean,
  ): Promise<ReplaceResult> {
    const { texts, found } = await this.#findAll(query);
    const edits = found.files.flatMap(({ path, matches }) => {
      const included = matches.filter((match) => !isExcluded(path, match));
      const each = included.map(({ from, match, replacement: insert = '' }) => {
        return { from, to: from + match.length, insert };
      });
      return each.length > 0 ? [{ path, edits: each }] : [];
    });
    checkSizes(texts, edits);
    const { undo, count } = this.#fileOperations.writeEdits(edits);
    const matches = edits.reduce((sum, file) => sum + file.edits.length, 0);
    return { matches, files: count, undo };
  }

  /** Searches the current texts, again if they change meanwhile. */
  async #findAll(query: FileSearchQuery) {
    const finder = new FileSearcher();
    try {
      for (;;) {
        const texts = this.#files();
        const found: FileSearchResults | undefined = await finder.find(texts, query, Infinity);
        if (found?.error) throw new VitrineError(found.error);
        if (found && texts === this.#files()) return { texts, found };
      }
    } finally {
      finder.close();
    }
  }
}

interface Edited {
  readonly path: string;
  readonly edits: readonly {
    readonly from: number;
    readonly to: number;
    readonly insert: string;
  }[];
}

function checkSizes(texts: ReadonlyMap<string, string>, edited: readonly Edited[]): void {
  const sizes = new Map([...texts].map(([path, text]) => [path, byteLength(text)]));
  for (const { path, edits } of edited) {
    const text = texts.get(path) ?? '';
    let size = sizes.get(path) ?? 0;
    for (const { from, to, insert } of edits)
      size += byteLength(insert) - byteLength(text.slice(from, to));
    if (size > limits.fileMaxBytes) throw new VitrineError('file_too_large', path);
    sizes.set(path, size);
  }
  const all = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  if (all > limits.projectMaxBytes) throw new VitrineError('project_too_large');
}
