import type { WorkspaceLayout, StoredTabs } from '../layout/workspace-layout.ts';
import type { SourceLocation } from '@vitrine/sandbox/host';
import { isColumnFile } from '../layout/columns.ts';
import { EditorHost, type EditorHostOptions } from '../bootstrap/editor-host.ts';
import { isPhone } from '../layout/phone.ts';
import type { ListedProblem } from '../problems/problems.ts';
import { ValueStore } from '../value-store.ts';
import {
  closeTab,
  createInitialTabs,
  keepTabOpen,
  moveTab,
  openTab,
  renameTab,
  createTabs,
  tabsToClose,
  togglePin,
  type CloseScope,
  type FileTabs,
} from './tabs.ts';

/** Pane visible on a phone. */
export type MobileView = 'code' | 'result';

/** Index of an editor group. The second group exists while the editor is split. */
export type EditorGroupIndex = 0 | 1;

interface OpenFilesOptions {
  readonly files: () => ReadonlyMap<string, string>;
  readonly paths: ValueStore<readonly string[]>;
  readonly workspaceLayout: ValueStore<WorkspaceLayout>;
  /** Tabs that were open when the project was last seen. */
  readonly last: StoredTabs | undefined;
  /** Pane that a phone shows first. */
  readonly view: MobileView;
  /** Options for every editor. */
  readonly pane: Omit<EditorHostOptions, 'parent' | 'paths' | 'takeLocation'>;
}

const maxClosed = 30;
const noTabs = createTabs([]);

/** Open files: tabs of the editor groups and their editors. */
export class OpenFiles {
  /** Tabs of both editor groups. The second has none unless the editor is split. */
  readonly groups: readonly [ValueStore<FileTabs>, ValueStore<FileTabs>];
  readonly isSplit = new ValueStore(false);
  /** Editor group that has, or last had, the focus. */
  readonly activeGroup = new ValueStore<EditorGroupIndex>(0);
  /** Tabs of the active group. */
  readonly activeTabs: ValueStore<FileTabs>;
  readonly view: ValueStore<MobileView>;
  readonly #options: OpenFilesOptions;
  /**
   * Mounted editors with their group. Undefined in a layout where every file has its own editor.
   */
  readonly #panes = new Map<EditorHost, EditorGroupIndex | undefined>();
  /** Editor that has, or last had, the focus. */
  #focusedPane: EditorHost | undefined;
  /** Location to go to once an editor shows its file. Cleared when another file is opened. */
  #pendingLocation: SourceLocation | undefined;
  /** Recently closed files, latest last. */
  readonly recentlyClosed = new ValueStore<readonly string[]>([]);
  /** Tabs to restore. Kept until opened: the files of a draft are only known then. */
  #last: StoredTabs | undefined;
  /** Text of files in transient tabs when they were opened. */
  readonly #transientTexts = new Map<string, string | undefined>();

  constructor(options: OpenFilesOptions) {
    this.#options = options;
    const tabs = createInitialTabs(options.paths.get());
    this.groups = [new ValueStore(tabs), new ValueStore(noTabs)];
    this.activeTabs = new ValueStore(tabs);
    this.#last = options.last;
    if (options.last) this.restore(options.last);
    // The tests are below the preview, so the preview pane is shown.
    const showsTests = options.workspaceLayout.get().dock === 'tests';
    this.view = new ValueStore<MobileView>(showsTests ? 'result' : options.view);
  }

  /** Restores tabs whose files still exist. */
  restore(last: StoredTabs): void {
    this.#last = last;
    const [first = noTabs, second = noTabs] = last.sides;
    const paths = this.#options.paths.get();
    const present = (tabs: FileTabs) =>
      tabs.open.filter((path) => !paths.includes(path)).reduce(closeTab, tabs);
    this.groups[0].set(present(first));
    this.groups[1].set(present(second));
    this.isSplit.set(second.open.length > 0);
    this.#joinEmptyGroup();
    for (const group of groupIndexes) {
      const { preview } = this.groups[group].get();
      if (preview !== undefined)
        this.#transientTexts.set(preview, this.#options.files().get(preview));
    }
    this.focusGroup(0);
  }

  /** Opens a file in a permanent tab. */
  readonly open = (path: string): void => this.#show(path, false);

  /**
   * Opens a file in a transient tab, which the next such file replaces unless this one is edited.
   */
  readonly openTransient = (path: string): void => this.#show(path, true);

  /** Opens a file at a location. */
  readonly goTo = (place: SourceLocation, isPreview = false): void => {
    if (!this.#options.paths.get().includes(place.path)) return;
    this.#show(place.path, isPreview);
    const panes = [...this.#panes].filter(([, group]) => this.#isActive(group));
    if (!panes.some(([pane]) => pane.goTo(place))) this.#pendingLocation = place;
  };

  close(path: string, which: CloseScope = 'this', group = this.activeGroup.get()): void {
    const tabs = this.groups[group].get();
    const closing = tabsToClose(tabs, path, which);
    this.recentlyClosed.set([...this.recentlyClosed.get(), ...closing].slice(-maxClosed));
    this.#set(group, closing.reduce(closeTab, tabs));
    this.#joinEmptyGroup();
  }

  /** Reopens the file closed last that still exists. */
  reopen(): void {
    const paths = this.#options.paths.get();
    const left = this.recentlyClosed.get().filter((path) => paths.includes(path));
    const path = left.at(-1);
    this.recentlyClosed.set(left.slice(0, -1));
    if (path !== undefined) this.open(path);
  }

  keepOpen(path: string, group = this.activeGroup.get()): void {
    this.#set(group, keepTabOpen(this.groups[group].get(), path));
  }

  togglePin(path: string, group = this.activeGroup.get()): void {
    this.#set(group, togglePin(this.groups[group].get(), path));
  }

  /** Moves a tab within its group, or to the other one. */
  move(path: string, to: number, from: EditorGroupIndex, group: EditorGroupIndex = from): void {
    if (group !== from) {
      this.#set(from, closeTab(this.groups[from].get(), path));
      this.#set(group, openTab(this.groups[group].get(), path));
    }
    this.#set(group, moveTab(this.groups[group].get(), path, to));
    this.focusGroup(group);
    this.#joinEmptyGroup();
  }

  /** Splits the editor, showing the active file in both groups, or joins the groups. */
  split(isSplit: boolean): void {
    const { active } = this.activeTabs.get();
    if (isSplit && active !== undefined) this.#set(1, createTabs([active]));
    if (!isSplit) {
      const [first, second] = [this.groups[0].get(), this.groups[1].get()];
      this.#set(0, { ...second.open.reduce((tabs, path) => openTab(tabs, path), first), active });
      this.#set(1, noTabs);
    }
    this.isSplit.set(isSplit && active !== undefined);
    this.focusGroup(isSplit ? 1 : 0);
  }

  focusGroup(group: EditorGroupIndex): void {
    this.activeGroup.set(this.isSplit.get() ? group : 0);
    this.activeTabs.set(this.groups[this.activeGroup.get()].get());
  }

  /** Updates tabs after a rename. */
  renamePath(from: string, to: string): void {
    for (const group of groupIndexes)
      this.#set(group, renameTab(this.groups[group].get(), from, to));
  }

  /** Closes tabs of deleted files. */
  closeMissing(paths: readonly string[]): void {
    for (const group of groupIndexes) {
      const tabs = this.groups[group].get();
      const gone = tabs.open.filter((path) => !paths.includes(path));
      this.#set(group, gone.reduce(closeTab, tabs));
    }
    this.#joinEmptyGroup();
  }

  /** If no tab is open, restores the last tabs or opens the initial files. */
  openInitial(): void {
    if (this.activeTabs.get().open.length === 0 && this.#last) this.restore(this.#last);
    if (this.activeTabs.get().open.length === 0)
      this.#set(0, createInitialTabs(this.#options.paths.get()));
  }

  /** Makes the transient tab permanent once its file is edited. */
  keepEditedOpen(files: ReadonlyMap<string, string>): void {
    for (const group of groupIndexes) {
      const { preview } = this.groups[group].get();
      if (preview !== undefined && files.get(preview) !== this.#transientTexts.get(preview))
        this.keepOpen(preview, group);
    }
  }

  /** Mounts an editor in an element. Must be closed before the element is removed. */
  mountEditor(parent: HTMLElement, group?: EditorGroupIndex): EditorHost {
    const { pane: shared, paths } = this.#options;
    const pane = new EditorHost({
      ...shared,
      parent,
      paths: paths.get,
      takeLocation: (path) => {
        const place = this.#pendingLocation;
        if (place?.path !== path || !this.#isActive(group)) return undefined;
        this.#pendingLocation = undefined;
        return place;
      },
    });
    parent.addEventListener('focusin', () => (this.#focusedPane = pane));
    this.#panes.set(pane, group);
    return pane;
  }

  closeEditor(pane: EditorHost): void {
    this.#panes.delete(pane);
    if (this.#focusedPane === pane) this.#focusedPane = undefined;
    pane.close();
  }

  /** Inserts text into the editor that has, or last had, the focus. */
  insertText(text: string): void {
    this.#findPane()?.insertText(text);
  }

  /** Runs an editor command in the editor that has, or last had, the focus. */
  runInEditor(id: string): void {
    this.#findPane()?.runCommand(id);
  }

  /** Reloads a file whose `Y.Text` was replaced. */
  reloadFile(path: string): void {
    for (const pane of this.#panes.keys()) void pane.reloadFile(path);
  }

  setProblems(problems: readonly ListedProblem[]): void {
    for (const pane of this.#panes.keys()) pane.setProblems(problems);
  }

  #findPane(): EditorHost | undefined {
    const { active } = this.activeTabs.get();
    const isSeen = ([pane, group]: [EditorHost, EditorGroupIndex | undefined]) =>
      pane.shownPath.get() === active && (group ?? 0) === this.activeGroup.get();
    return this.#focusedPane ?? [...this.#panes].find(isSeen)?.[0];
  }

  #isActive(group: EditorGroupIndex | undefined): boolean {
    return group === undefined || group === this.activeGroup.get();
  }

  #show(path: string, isPreview: boolean): void {
    this.#pendingLocation = undefined;
    const group = this.activeGroup.get();
    if (isPreview) this.#transientTexts.set(path, this.#options.files().get(path));
    this.#set(group, openTab(this.groups[group].get(), path, isPreview));
    this.view.set('code');
    this.#reveal(path);
  }

  #set(group: EditorGroupIndex, tabs: FileTabs): void {
    this.groups[group].set(tabs);
    if (group === this.activeGroup.get()) this.activeTabs.set(tabs);
  }

  /** Closes a group without tabs. */
  #joinEmptyGroup(): void {
    if (!this.isSplit.get()) return;
    const [first, second] = [this.groups[0].get(), this.groups[1].get()];
    if (first.open.length > 0 && second.open.length > 0) return;
    this.isSplit.set(false);
    this.#set(0, first.open.length > 0 ? first : second);
    this.#set(1, noTabs);
    this.focusGroup(0);
  }

  /**
   * Makes the opened file visible: switches to a layout that shows it, and closes the sidebar that
   * covers it on a phone.
   */
  #reveal(path: string): void {
    const { workspaceLayout: source, paths } = this.#options;
    const workspaceLayout = source.get();
    const { layout } = workspaceLayout;
    const showsIt = layout === 'columns' ? isColumnFile(path, paths.get()) : layout !== 'result';
    const hidesIt = isPhone() && workspaceLayout.panel !== null;
    if (!showsIt || hidesIt)
      source.set({
        ...workspaceLayout,
        ...(!showsIt && { layout: 'side' }),
        ...(hidesIt && { panel: null }),
      });
  }
}

const groupIndexes = [0, 1] as const;
