import type { FormatClient, FormatPlace } from '@vitrine/editor/format';
import type { FileEdits } from '@vitrine/editor/language-service';
import { VitrineError, type ErrorCode } from '@vitrine/project';

/** What the workspace lends: the files, and the means to change them. */
export interface ProjectFormatOptions {
  /** The same map while nothing has changed. */
  readonly files: () => ReadonlyMap<string, string>;
  readonly write: (edits: readonly FileEdits[]) => void;
}

/** Why a file stays as it is. */
const reasons = {
  broken: 'format_broken',
  config: 'format_config',
  unknown: 'format_unknown',
  part: 'format_part',
} as const satisfies Record<string, ErrorCode>;

/** Formats files of a project. Its code and the worker's come when it is first asked. */
export class ProjectFormat {
  readonly #options: ProjectFormatOptions;
  #client: Promise<FormatClient> | undefined;
  /** Counts closings: who asked before one is not answered. */
  #life = 0;

  constructor(options: ProjectFormatOptions) {
    this.#options = options;
  }

  /** As one step of undo. What is typed meanwhile is left as it is. Rejects with the catalogue's code. */
  async format(place: FormatPlace): Promise<void> {
    const { files, write } = this.#options;
    const life = this.#life;
    const client = await this.#load();
    const text = files().get(place.path);
    const formatted = await client.ask('format', place);
    if (!formatted || life !== this.#life || files().get(place.path) !== text) return;
    if (formatted.status !== 'formatted') throw new VitrineError(reasons[formatted.status]);
    const { edits } = formatted;
    if (edits.length > 0) write([{ path: place.path, edits }]);
  }

  close(): void {
    this.#life += 1;
    // One that did not come has said so to who asked.
    void this.#client?.then(
      (client) => client.close(),
      () => undefined,
    );
    this.#client = undefined;
  }

  async #load(): Promise<FormatClient> {
    const { files } = this.#options;
    this.#client ??= import('@vitrine/editor/format').then((loaded) =>
      loaded.createFormatClient(files),
    );
    try {
      return await this.#client;
    } catch (error) {
      // Without a network; the next time tries again.
      this.#client = undefined;
      throw error;
    }
  }
}
