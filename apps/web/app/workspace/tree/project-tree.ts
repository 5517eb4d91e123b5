import type { FilesTarget } from '@vitrine/editor';
import { findErrorCode, parsePath, VitrineError } from '@vitrine/project';
import { loadWithRetries } from '@vitrine/project/retry-loading';
import * as Y from 'yjs';
import { importRequest, isZip, takeSource } from '../../import/import-request.ts';
import type { AddContext, AddTarget } from '../assets/add-files.ts';
import type { ProjectAssets } from '../assets/project-assets.ts';
import type { WorkspaceSession } from '../session.ts';
import {
  areTexts,
  chooseFiles,
  findTransferredFiles,
  isScreenshot,
  type FoundFile,
  type NewFile,
} from './uploaded-files.ts';
import type { FileOperations } from './file-operations.ts';
import {
  filesWithin,
  dirname,
  listFolders,
  isWithin,
  joinPath,
  moveFiles,
  movedPath,
  basename,
  outermost,
  resolveCollisions,
  planCopies,
  planMoves,
  type AskCollision,
  type CollisionChoice,
  type FileMove,
} from './file-paths.ts';
import type { Notices } from '../notices.ts';
import type { OpenFiles } from '../tabs/open-files.ts';
import { getEditedPath } from '../tabs/tabs.ts';
import { downloadFiles, downloadAsZip } from './download-files.ts';
import { ValueStore } from '../value-store.ts';

/** Name field open in the tree: for a new file or folder, or to rename a row. */
export type Naming =
  | { readonly kind: 'file' | 'folder'; readonly folder: string }
  | { readonly kind: 'rename'; readonly path: string };

/** Rows that were cut or copied. */
interface TreeClipboard {
  readonly rows: readonly string[];
  readonly isCut: boolean;
}

/** A path conflict the user has to resolve. */
export interface CollisionPrompt {
  readonly path: string;
  /** Number of further conflicts after this one. */
  readonly remaining: number;
  /** Null cancels, leaving all files as they are. */
  answer(choice: CollisionChoice | null, isForAll: boolean): void;
}

interface ProjectTreeOptions {
  readonly session: WorkspaceSession;
  readonly assets: ProjectAssets;
  readonly changes: FileOperations;
  /** Resolves before existing files are replaced. */
  readonly beforeReplacing: () => Promise<void>;
  readonly openFiles: OpenFiles;
  readonly notices: Notices;
}

/** Number of files from which folders start collapsed: each row of the tree is an element. */
const maxExpandedFiles = 200;

/** Number of actions the tree's undo can revert. */
const maxUndos = 20;

/**
 * State and actions of the file tree. Folders only exist as parts of file paths; a folder that is
 * new, or has lost its last file, is kept here until it contains a file.
 */
export class ProjectTree {
  readonly naming = new ValueStore<Naming | null>(null);
  readonly collapsedFolders = new ValueStore<ReadonlySet<string>>(new Set());
  readonly emptyFolders = new ValueStore<readonly string[]>([]);
  readonly clipboard = new ValueStore<TreeClipboard | null>(null);
  readonly collision = new ValueStore<CollisionPrompt | null>(null);
  readonly paths: ValueStore<readonly string[]>;
  readonly #options: ProjectTreeOptions;
  /** Undo functions of the latest actions, latest last. */
  #undos: readonly (() => void)[] = [];

  constructor(options: ProjectTreeOptions) {
    this.#options = options;
    this.paths = options.session.paths;
    this.collapseLargeProject();
  }

  /** Collapses the folders of a project with many files, except those around the active one. */
  collapseLargeProject(): void {
    const paths = this.paths.get();
    if (paths.length <= maxExpandedFiles || this.collapsedFolders.get().size > 0) return;
    const active = getEditedPath(this.#options.openFiles.activeTabs.get().active) ?? '';
    const folders = [...listFolders(paths)].filter((folder) => !isWithin(active, folder));
    this.collapsedFolders.set(new Set(folders));
  }

  /** Undoes the latest action of the tree. */
  undo(): void {
    this.#undos.at(-1)?.();
  }

  toggle(folder: string): void {
    const folded = new Set(this.collapsedFolders.get());
    if (!folded.delete(folder)) folded.add(folder);
    this.collapsedFolders.set(folded);
  }

  /** Confirms the name field: creates or renames. Null cancels. */
  finishNaming(naming: Naming, path: string | null): void {
    this.naming.set(null);
    if (path === null) return;
    void this.#tryAction(() => {
      const parsed = parsePath(path);
      if (naming.kind === 'rename')
        return this.#move(
          [{ from: naming.path, to: parsed }],
          `Renamed ${naming.path} to ${parsed}`,
          // Keeps the field's error short of a dialog: the user can type another name.
          () => Promise.reject(new VitrineError('path_taken')),
        );
      return naming.kind === 'file' ? this.createFile(parsed) : this.#addFolder(parsed);
    });
  }

  move(rows: readonly string[], folder: string): void {
    void this.#tryAction(() => this.#moveTo(rows, folder));
  }

  /** Copies rows into a folder, or next to the originals with a number. */
  copy(rows: readonly string[], folder?: string): void {
    const paths = this.paths.get();
    const isOtherFolder = (row: string) => folder !== undefined && dirname(row) !== folder;
    const sameFolder = planCopies(
      rows.filter((row) => !isOtherFolder(row)),
      paths,
    );
    const otherFolder = outermost(rows.filter(isOtherFolder)).map((row) => ({
      from: row,
      to: joinPath(folder ?? '', basename(row)),
    }));
    const copies = moveFiles(paths, [...sameFolder, ...otherFolder]);
    const files = this.#options.session.readFiles();
    void this.#tryAction(() =>
      this.#add(copies.map(({ from, to }) => ({ path: to, content: files.get(from) ?? '' }))),
    );
  }

  setClipboard(rows: readonly string[], isCut: boolean): void {
    this.clipboard.set({ rows, isCut });
  }

  paste(folder: string): void {
    const clipboard = this.clipboard.get();
    if (!clipboard) return;
    if (!clipboard.isCut) return this.copy(clipboard.rows, folder);
    // Keeps the clipboard if nothing was moved, so that the rows can be pasted elsewhere.
    void this.#tryAction(async () => {
      if ((await this.#moveTo(clipboard.rows, folder)) && this.clipboard.get() === clipboard)
        this.clipboard.set(null);
    });
  }

  remove(rows: readonly string[]): void {
    const { changes, openFiles } = this.#options;
    const files = filesWithin(this.paths.get(), rows);
    const shown = openFiles.activeTabs.get().open.flatMap((tab) => getEditedPath(tab) ?? []);
    void this.#tryAction(() => {
      const restore = changes.remove(files);
      const restoreFolders = this.#keepEmptyFolders(rows, (folder) =>
        rows.some((row) => isWithin(folder, row)) ? [] : [folder],
      );
      this.#reportDone(`Deleted ${describeRows(outermost(rows))}`, () => {
        restore();
        restoreFolders();
        for (const path of files) if (shown.includes(path)) openFiles.open(path);
      });
    });
  }

  /**
   * Adds dropped, pasted or selected files: texts at once, and assets, in a saved project once they
   * are uploaded.
   */
  async addFiles(found: Promise<readonly FoundFile[]>, target: AddTarget): Promise<void> {
    await this.#tryAction(async () => {
      const { addFiles } = await import('../assets/add-files.ts');
      await addFiles(await found, target, this.#addContext);
    });
  }

  /** Adds dropped files to a folder. A zip is imported. */
  drop(transfer: DataTransfer, folder: string): void {
    const [file] = transfer.files;
    if (transfer.files.length === 1 && file && isZip(file))
      importRequest.set({ source: takeSource(transfer) });
    else void this.addFiles(findTransferredFiles(transfer), { folder });
  }

  /** Adds the files of an import, replacing those at the same paths, or all. */
  importFiles(files: readonly FoundFile[], how: 'merge' | 'replace'): Promise<void> {
    return this.addFiles(Promise.resolve(files), { folder: '', import: how });
  }

  /** Lets the user choose files to add to a folder. */
  upload(folder: string): void {
    void this.addFiles(chooseFiles({ multiple: true }), { folder });
  }

  /** Lets the user choose a file to replace one with, whatever its name. */
  replaceFile(path: string): void {
    void this.addFiles(chooseFiles({ multiple: false }), { folder: dirname(path), replaces: path });
  }

  /**
   * Adds files that were pasted or dropped into an editor, next to the edited file, and refers to a
   * single asset there. False for texts, which the editor inserts.
   */
  addEditorFiles(transfer: DataTransfer, { path, text, offset, isPaste }: FilesTarget): boolean {
    if (areTexts(transfer)) return false;
    const position = Y.createRelativePositionFromTypeIndex(text, offset);
    void this.addFiles(findTransferredFiles(transfer), {
      folder: dirname(path),
      reference: Uint8Array.from(Y.encodeRelativePosition(position)),
      isScreenshot: isPaste && isScreenshot(transfer),
    });
    return true;
  }

  /**
   * Continues uploads that an earlier visit has left. Also loads the code that adds files, which may
   * be needed offline.
   */
  async resumeUploads(): Promise<void> {
    try {
      const { resumeUploads } = await loadWithRetries(() => import('../assets/add-files.ts'));
      await resumeUploads(this.#addContext);
    } catch {
      // There is no connection. The next visit continues them.
    }
  }

  /** Downloads a single file as it is, or several files and folders as a zip. */
  async download(rows: readonly string[]): Promise<void> {
    const { readFiles, identity, loadAsset } = this.#options.session;
    const chosen = filesWithin(this.paths.get(), rows);
    const files = new Map([...readFiles()].filter(([path]) => chosen.includes(path)));
    const isOneFile = chosen.length === 1 && chosen[0] === rows[0];
    const download = isOneFile ? downloadFiles : downloadAsZip;
    const isProject = files.size === this.paths.get().length;
    const { title } = identity.get();
    await this.#tryAction(() => download({ files, isProject, title, loadAsset }));
  }

  /** Creates a file, opens it and focuses its editor. */
  createFile(path: string, content = ''): void {
    this.#options.changes.create(path, content);
    this.#options.openFiles.goTo({ path, line: 1, column: 1 });
  }

  get #addContext(): AddContext {
    return {
      ...this.#options,
      askCollision: this.#askCollision,
      reportDone: (title: string, undo: () => void) => this.#reportDone(title, undo),
    };
  }

  /** Reports an action that can be undone. Undo, by the notice or by keyboard, runs once. */
  #reportDone(title: string, undo: () => void): void {
    const undoOnce = () => {
      if (!this.#undos.includes(undoOnce)) return;
      this.#undos = this.#undos.filter((each) => each !== undoOnce);
      withdraw();
      void this.#tryAction(undo);
    };
    this.#undos = [...this.#undos, undoOnce].slice(-maxUndos);
    const withdraw = this.#options.notices.done(title, undoOnce);
  }

  #addFolder(folder: string): void {
    const known = this.emptyFolders.get();
    if (!known.includes(folder)) this.emptyFolders.set([...known, folder]);
  }

  /** Adds files, asking about each whose path is taken. */
  async #add(files: readonly NewFile[]): Promise<void> {
    const { beforeReplacing, changes, openFiles } = this.#options;
    const targets = files.map(({ path }) => path);
    const plan = await resolveCollisions(targets, this.paths.get(), this.#askCollision);
    if (!plan || files.length === 0) return;
    const { to, replaced } = plan;
    if (replaced.length > 0) await beforeReplacing();
    const restore = changes.add(
      files.map(({ content }, index) => ({ path: to[index] ?? '', content })),
    );
    const [first] = to;
    if (first !== undefined && to.length === 1) openFiles.open(first);
    const verb = replaced.length === to.length ? 'Replaced' : 'Added';
    this.#reportDone(`${verb} ${describeRows(to)}`, restore);
  }

  /** Reports an error of the action. */
  async #tryAction(act: () => unknown): Promise<void> {
    try {
      await act();
    } catch (error) {
      this.#options.notices.failed(findErrorCode(error));
    }
  }

  readonly #askCollision: AskCollision = (path, left) =>
    new Promise((resolve) => {
      // A new conflict cancels the open one.
      this.collision.get()?.answer(null, false);
      this.collision.set({
        path,
        remaining: left,
        answer: (choice, isForAll) => {
          this.collision.set(null);
          resolve(choice && { choice, isForAll });
        },
      });
    });

  #moveTo(rows: readonly string[], folder: string): Promise<boolean> {
    const moves = planMoves(rows, folder);
    const place = folder === '' ? 'the project root' : folder;
    return this.#move(moves, `Moved ${describeRows(moves.map(({ from }) => from))} to ${place}`);
  }

  /** Resolves to false if the user canceled. */
  async #move(
    rows: readonly FileMove[],
    message: string,
    ask: AskCollision = this.#askCollision,
  ): Promise<boolean> {
    const paths = this.paths.get();
    const targets = moveFiles(paths, rows).filter(({ from, to }) => from !== to);
    const moving = new Set(targets.map(({ from }) => from));
    const plan = await resolveCollisions(
      targets.map(({ to }) => to),
      paths.filter((path) => !moving.has(path)),
      ask,
    );
    if (!plan) return false;
    const moves = targets.map(({ from, to }, index) => ({ from, to: plan.to[index] ?? to }));
    const step =
      moves.length > 0 ? await this.#options.changes.move(moves, plan.replaced) : undefined;
    const restoreFolders = this.#keepEmptyFolders(
      rows.map(({ from }) => from),
      (folder) => [movedPath(folder, rows)],
    );
    if (!step) return true;
    const { undo, count } = step;
    this.#reportDone(
      count === 0 ? message : `${message} and updated references in ${describeFiles(count)}`,
      () => {
        undo();
        restoreFolders();
      },
    );
    return true;
  }

  /**
   * Keeps folders that lose their last file visible, and renames or removes empty folders as
   * `become` says. Returns an undo function.
   */
  #keepEmptyFolders(rows: readonly string[], become: (folder: string) => string[]): () => void {
    const before = this.emptyFolders.get();
    const after = new Set([...before.flatMap(become), ...listFolders(rows)]);
    this.emptyFolders.set([...after]);
    return () => {
      const others = this.emptyFolders.get().filter((folder) => !after.has(folder));
      this.emptyFolders.set([...before, ...others]);
    };
  }
}

function describeFiles(count: number): string {
  return count === 1 ? '1 file' : `${count} files`;
}

/** ["a.css"] → "a.css"; ["a.css", "b.css"] → "2 items" */
function describeRows(rows: readonly string[]): string {
  const [first = ''] = rows;
  return rows.length === 1 ? first : `${rows.length} items`;
}
