import type { FormatClient, FormatTarget } from '@vitrine/editor/format';
import type { FileEdits } from '@vitrine/editor/language-service';
import { VitrineError, type ErrorCode } from '@vitrine/project';

/** The workspace's files and a way to change them. */
interface ProjectFormatOptions {
  /** Returns the same map until a file changes. */
  readonly files: () => ReadonlyMap<string, string>;
  readonly write: (edits: readonly FileEdits[]) => void;
}

/** Error code by the reason a file wasn't formatted. */
const reasons = {
  broken: 'format_broken',
  config: 'format_config',
  unknown: 'format_unknown',
  part: 'format_part',
} as const satisfies Record<string, ErrorCode>;

/** Formats project files. The client and its worker are loaded on first use. */
export class ProjectFormat {
  readonly #options: ProjectFormatOptions;
  #client: Promise<FormatClient> | undefined;
  /** Incremented on close, so that pending requests are dropped. */
  #generation = 0;

  constructor(options: ProjectFormatOptions) {
    this.#options = options;
  }

  /**
   * Formats a file as one undo step. If the file is edited meanwhile, nothing is changed. Rejects
   * with a `VitrineError`.
   */
  async format(target: FormatTarget): Promise<void> {
    const { files, write } = this.#options;
    const generation = this.#generation;
    const client = await this.#load();
    const text = files().get(target.path);
    const formatted = await client.request('format', target);
    if (!formatted && !client.isAvailable && generation === this.#generation)
      throw new VitrineError('server_unreachable');
    if (!formatted || generation !== this.#generation || files().get(target.path) !== text) return;
    if (formatted.status !== 'formatted') throw new VitrineError(reasons[formatted.status]);
    const { edits } = formatted;
    if (edits.length > 0) write([{ path: target.path, edits }]);
  }

  close(): void {
    this.#generation += 1;
    // A failed load was already reported to its caller.
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
      // Retried on the next call, for instance when the network is back.
      this.#client = undefined;
      throw error;
    }
  }
}
