import { findCdnImports, type CdnImport } from './cdn-imports.ts';

/** An import from a CDN, with its file. */
export interface CdnImportInFile extends CdnImport {
  readonly path: string;
}

/** Scans a project's files for imports from CDNs, incrementally: only changed files are scanned. */
export class CdnImportScanner {
  /** Results by path, with the scanned text. Rebuilt by each scan, so deleted files leave. */
  #cache = new Map<
    string,
    { readonly text: string; readonly imports: readonly CdnImportInFile[] }
  >();

  #last: readonly CdnImportInFile[] = [];

  /** Returns the identical array if nothing changed since the last call. */
  scan(files: ReadonlyMap<string, string>): readonly CdnImportInFile[] {
    const previous = this.#cache;
    this.#cache = new Map(
      [...files].map(([path, text]) => {
        const cached = previous.get(path);
        if (cached?.text === text) return [path, cached];
        const imports = findCdnImports(path, text).map((found) => ({ ...found, path }));
        return [path, { text, imports }];
      }),
    );
    const found = [...this.#cache.values()].flatMap(({ imports }) => imports);
    const isSame =
      found.length === this.#last.length && found.every((each, at) => each === this.#last[at]);
    if (!isSame) this.#last = found;
    return this.#last;
  }
}
