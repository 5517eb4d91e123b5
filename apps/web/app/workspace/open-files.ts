import type { Arrangement, LastOpen } from './arrangement.ts';
import type { CodePlace } from './code-place.ts';
import { isColumnFile } from './columns.ts';
import { Pane, type PaneOptions } from './pane.ts';
import { isPhone } from './phone.ts';
import type { ListedProblem } from './problems.ts';
import { Source } from './source.ts';
import {
  closeTab,
  initialTabs,
  keepTab,
  moveTab,
  openTab,
  renameTab,
  tabsOf,
  tabsToClose,
  togglePin,
  type Closing,
  type Tabs,
} from './tabs.ts';

/** Pane visible on a phone. */
export type View = 'code' | 'result';

/** Index of an editor group. The second group exists while the editor is split. */
export type Side = 0 | 1;

interface OpenFilesOptions {
  readonly files: () => ReadonlyMap<string, string>;
  readonly paths: Source<readonly string[]>;
  readonly arrangement: Source<Arrangement>;
  /** Tabs that were open when the project was last seen. */
  readonly last: LastOpen | undefined;
  /** Pane that a phone shows first. */
  readonly view: View;
  /** Options for every editor. */
  readonly pane: Omit<PaneOptions, 'parent' | 'paths'>;
}

const maxClosed = 30;
const noTabs = tabsOf([]);

/** Open files: tabs of the editor groups and their editors. */
export class OpenFiles {
  /** Tabs of both editor groups. The second has none unless the editor is split. */
  readonly sides: readonly [Source<Tabs>, Source<Tabs>];
  readonly isSplit = new Source(false);
  /** Editor group that has, or last had, the focus. */
  readonly side = new Source<Side>(0);
  /** Tabs of the active group. */
  readonly tabs: Source<Tabs>;
  readonly view: Source<View>;
  readonly #options: OpenFilesOptions;
  /**
   * Mounted editors with their group. Undefined in a layout where every file has its own editor.
   */
  readonly #panes = new Map<Pane, Side | undefined>();
  /** Editor that has, or last had, the focus. */
  #focusedPane: Pane | undefined;
  /** Recently closed files, latest last. */
  readonly closed = new Source<readonly string[]>([]);
  /** Tabs to restore. Kept until opened: the files of a draft are only known then. */
  #last: LastOpen | undefined;
  /** Text of files in transient tabs when they were opened. */
  readonly #transientTexts = new Map<string, string | undefined>();

  constructor(options: OpenFilesOptions) {
    this.#options = options;
    const tabs = initialTabs(options.paths.get());
    this.sides = [new Source(tabs), new Source(noTabs)];
    this.tabs = new Source(tabs);
    this.#last = options.last;
    if (options.last) this.restore(options.last);
    // The tests are below the preview, so the preview pane is shown.
    const showsTests = options.arrangement.get().dock === 'tests';
    this.view = new Source<View>(showsTests ? 'result' : options.view);
  }

  /** Restores tabs whose files still exist. */
  restore(last: LastOpen): void {
    this.#last = last;
    const [first = noTabs, second = noTabs] = last.sides;
    const paths = this.#options.paths.get();
    const present = (tabs: Tabs) =>
      tabs.open.filter((path) => !paths.includes(path)).reduce(closeTab, tabs);
    this.sides[0].set(present(first));
    this.sides[1].set(present(second));
    this.isSplit.set(second.open.length > 0);
    this.#joinEmptyGroup();
    for (const group of groupIndexes) {
      const { preview } = this.sides[group].get();
      if (preview !== undefined)
        this.#transientTexts.set(preview, this.#options.files().get(preview));
    }
    this.focusSide(0);
  }

  /** Opens a file in a permanent tab. */
  readonly show = (path: string): void => this.#show(path, false);

  /**
   * Opens a file in a transient tab, which the next such file replaces unless this one is edited.
   */
  readonly lookAt = (path: string): void => this.#show(path, true);

  /** Opens a file at a location. */
  readonly goTo = (place: CodePlace, isPreview = false): void => {
    if (!this.#options.paths.get().includes(place.path)) return;
    this.#show(place.path, isPreview);
    for (const [pane, group] of this.#panes)
      if (group === undefined || group === this.side.get()) pane.goTo(place);
  };

  close(path: string, which: Closing = 'this', group = this.side.get()): void {
    const tabs = this.sides[group].get();
    const closing = tabsToClose(tabs, path, which);
    this.closed.set([...this.closed.get(), ...closing].slice(-maxClosed));
    this.#set(group, closing.reduce(closeTab, tabs));
    this.#joinEmptyGroup();
  }

  /** Reopens the file closed last that still exists. */
  reopen(): void {
    const paths = this.#options.paths.get();
    const left = this.closed.get().filter((path) => paths.includes(path));
    const path = left.at(-1);
    this.closed.set(left.slice(0, -1));
    if (path !== undefined) this.show(path);
  }

  keep(path: string, group = this.side.get()): void {
    this.#set(group, keepTab(this.sides[group].get(), path));
  }

  togglePin(path: string, group = this.side.get()): void {
    this.#set(group, togglePin(this.sides[group].get(), path));
  }

  /** Moves a tab within its group, or to the other one. */
  move(path: string, to: number, from: Side, group: Side = from): void {
    if (group !== from) {
      this.#set(from, closeTab(this.sides[from].get(), path));
      this.#set(group, openTab(this.sides[group].get(), path));
    }
    this.#set(group, moveTab(this.sides[group].get(), path, to));
    this.focusSide(group);
    this.#joinEmptyGroup();
  }

  /** Splits the editor, showing the active file in both groups, or joins the groups. */
  split(isSplit: boolean): void {
    const { active } = this.tabs.get();
    if (isSplit && active !== undefined) this.#set(1, tabsOf([active]));
    if (!isSplit) {
      const [first, second] = [this.sides[0].get(), this.sides[1].get()];
      this.#set(0, { ...second.open.reduce((tabs, path) => openTab(tabs, path), first), active });
      this.#set(1, noTabs);
    }
    this.isSplit.set(isSplit && active !== undefined);
    this.focusSide(isSplit ? 1 : 0);
  }

  focusSide(group: Side): void {
    this.side.set(this.isSplit.get() ? group : 0);
    this.tabs.set(this.sides[this.side.get()].get());
  }

  /** Updates tabs after a rename. */
  follow(from: string, to: string): void {
    for (const group of groupIndexes)
      this.#set(group, renameTab(this.sides[group].get(), from, to));
  }

  /** Closes tabs of deleted files. */
  adopt(paths: readonly string[]): void {
    for (const group of groupIndexes) {
      const tabs = this.sides[group].get();
      const gone = tabs.open.filter((path) => !paths.includes(path));
      this.#set(group, gone.reduce(closeTab, tabs));
    }
    this.#joinEmptyGroup();
  }

  /** If no tab is open, restores the last tabs or opens the initial files. */
  openFirst(): void {
    if (this.tabs.get().open.length === 0 && this.#last) this.restore(this.#last);
    if (this.tabs.get().open.length === 0) this.#set(0, initialTabs(this.#options.paths.get()));
  }

  /** Makes the transient tab permanent once its file is edited. */
  keepEdited(files: ReadonlyMap<string, string>): void {
    for (const group of groupIndexes) {
      const { preview } = this.sides[group].get();
      if (preview !== undefined && files.get(preview) !== this.#transientTexts.get(preview))
        this.keep(preview, group);
    }
  }

  /** Mounts an editor in an element. Must be closed before the element is removed. */
  openPane(parent: HTMLElement, group?: Side): Pane {
    const { pane: shared, paths } = this.#options;
    const pane = new Pane({ ...shared, parent, paths: paths.get });
    parent.addEventListener('focusin', () => (this.#focusedPane = pane));
    this.#panes.set(pane, group);
    return pane;
  }

  closePane(pane: Pane): void {
    this.#panes.delete(pane);
    if (this.#focusedPane === pane) this.#focusedPane = undefined;
    pane.close();
  }

  /** Inserts text into the editor that has, or last had, the focus. */
  type(text: string): void {
    this.#findPane()?.type(text);
  }

  /** Runs an editor command in the editor that has, or last had, the focus. */
  runInEditor(id: string): void {
    this.#findPane()?.run(id);
  }

  /** Reloads a file whose `Y.Text` was replaced. */
  refresh(path: string): void {
    for (const pane of this.#panes.keys()) void pane.refresh(path);
  }

  setProblems(problems: readonly ListedProblem[]): void {
    for (const pane of this.#panes.keys()) pane.setProblems(problems);
  }

  #findPane(): Pane | undefined {
    const { active } = this.tabs.get();
    const isSeen = ([pane, group]: [Pane, Side | undefined]) =>
      pane.shown.get() === active && (group ?? 0) === this.side.get();
    return this.#focusedPane ?? [...this.#panes].find(isSeen)?.[0];
  }

  #show(path: string, isPreview: boolean): void {
    const group = this.side.get();
    if (isPreview) this.#transientTexts.set(path, this.#options.files().get(path));
    this.#set(group, openTab(this.sides[group].get(), path, isPreview));
    this.view.set('code');
    this.#reveal(path);
  }

  #set(group: Side, tabs: Tabs): void {
    this.sides[group].set(tabs);
    if (group === this.side.get()) this.tabs.set(tabs);
  }

  /** Closes a group without tabs. */
  #joinEmptyGroup(): void {
    if (!this.isSplit.get()) return;
    const [first, second] = [this.sides[0].get(), this.sides[1].get()];
    if (first.open.length > 0 && second.open.length > 0) return;
    this.isSplit.set(false);
    this.#set(0, first.open.length > 0 ? first : second);
    this.#set(1, noTabs);
    this.focusSide(0);
  }

  /**
   * Makes the opened file visible: switches to a layout that shows it, and closes the sidebar that
   * covers it on a phone.
   */
  #reveal(path: string): void {
    const { arrangement: source, paths } = this.#options;
    const arrangement = source.get();
    const { layout } = arrangement;
    const showsIt = layout === 'columns' ? isColumnFile(path, paths.get()) : layout !== 'result';
    const hidesIt = isPhone() && arrangement.panel !== null;
    if (!showsIt || hidesIt)
      source.set({
        ...arrangement,
        ...(!showsIt && { layout: 'side' }),
        ...(hidesIt && { panel: null }),
      });
  }
}

const groupIndexes = [0, 1] as const;
