import { findCdnImports, type CdnImport } from './cdn-imports.ts';

/** An import from another host, in the file where it stands. */
export interface CdnNotice extends CdnImport {
  readonly path: string;
}

/** Looks through the files of one project again and again, and only at those that changed. */
export class CdnNotices {
  /** Path → what was found in that text; a file that is gone leaves it with the next look. */
  #known = new Map<string, { readonly text: string; readonly notices: readonly CdnNotice[] }>();

  #found: readonly CdnNotice[] = [];

  /** The same list while it would hold the same. */
  find(files: ReadonlyMap<string, string>): readonly CdnNotice[] {
    const before = this.#known;
    this.#known = new Map(
      [...files].map(([path, text]) => {
        const known = before.get(path);
        if (known?.text === text) return [path, known];
        const notices = findCdnImports(path, text).map((found) => ({ ...found, path }));
        return [path, { text, notices }];
      }),
    );
    const found = [...this.#known.values()].flatMap(({ notices }) => notices);
    const isSame =
      found.length === this.#found.length && found.every((each, at) => each === this.#found[at]);
    if (!isSame) this.#found = found;
    return this.#found;
  }
}
