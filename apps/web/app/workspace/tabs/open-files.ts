import type { WorkspaceLayout, StoredTabs } from '../layout/workspace-layout.ts';
import type { ProjectFile } from '@vitrine/project';
import type { SourceLocation } from '@vitrine/sandbox/host';
import { isColumnFile } from '../layout/columns.ts';
import { EditorHost, type EditorHostOptions } from '../bootstrap/editor-host.ts';
import { isPhone } from '../layout/phone.ts';
import type { ListedProblem } from '../problems/problems.ts';
import { ValueStore } from '../value-store.ts';
import {
  closeMissingTabs,
  closeTab,
  createFileTab,
  createInitialTabs,
  getEditedPath,
  isPresent,
  isSameTab,
  keepTabOpen,
  moveTab,
  openTab,
  renameFile,
  createTabs,
  tabsToClose,
  togglePin,
  type CloseScope,
  type Tab,
  type TabList,
  type TabLocation,
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
  readonly groups: readonly [ValueStore<TabList>, ValueStore<TabList>];
  readonly isSplit = new ValueStore(false);
  /** Editor group that has, or last had, the focus. */
  readonly activeGroup = new ValueStore<EditorGroupIndex>(0);
  /** Tabs of the active group. */
  readonly activeTabs: ValueStore<TabList>;
  readonly view: ValueStore<MobileView>;
  readonly #options: OpenFilesOptions;
  /**
   * Mounted editors with their group. Undefined in a layout where every file has its own editor.
   */
  readonly #panes = new Map<EditorHost, EditorGroupIndex | undefined>();
  /** Editor that has, or last had, the focus. */
  #focusedPane: EditorHost | undefined;
  /** Location to go to once an editor shows its tab. Cleared when another tab is opened. */
  #pendingLocation: TabLocation | undefined;
  /** Recently closed tabs, latest last. */
  readonly recentlyClosed = new ValueStore<readonly Tab[]>([]);
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

  /** Restores tabs, except those of files that no longer exist. */
  restore(last: StoredTabs): void {
    this.#last = last;
    const [first = noTabs, second = noTabs] = last.sides;
    const paths = this.#options.paths.get();
    if (paths.length === 0) return;
    this.groups[0].set(closeMissingTabs(first, paths));
    this.groups[1].set(closeMissingTabs(second, paths));
    this.isSplit.set(second.open.length > 0);
    this.#joinEmptyGroup();
    for (const group of groupIndexes) {
      const path = getEditedPath(this.groups[group].get().preview);
      if (path !== undefined) this.#transientTexts.set(path, this.#options.files().get(path));
    }
    this.focusGroup(0);
  }

  /** Opens a file in a permanent tab. */
  readonly open = (path: string): void => this.#show(createFileTab(path), false);

  /**
   * Opens a file in a transient tab, which the next such file replaces unless this one is edited.
   */
  readonly openTransient = (path: string): void => this.#show(createFileTab(path), true);

  /** Shows an open tab of the active group. */
  activate(tab: Tab): void {
    this.#show(tab, true);
  }

  /** Opens a file at a location. */
  readonly goTo = ({ path, ...location }: SourceLocation, isPreview = false): void => {
    if (this.#options.paths.get().includes(path))
      this.goToTab({ ...location, tab: createFileTab(path) }, isPreview);
  };

  /**
   * Opens type declarations at a location in a transient tab. The tab whose code led there becomes
   * permanent, so that it isn't replaced.
   */
  readonly goToDeclaration = ({ path, ...location }: SourceLocation): void => {
    const tab: Tab = { kind: 'declaration', path };
    const { active } = this.activeTabs.get();
    if (active && !isSameTab(active, tab)) this.keepOpen(active);
    this.goToTab({ ...location, tab }, true);
  };

  /** Opens a tab that edits no file in a transient tab, and moves the focus to it. */
  readonly openReadOnly = (tab: Tab): void => this.goToTab({ tab, line: 0, column: 0 }, true);

  /** Shows a tab and focuses its editor. Without a line (0), the cursor stays. */
  goToTab(location: TabLocation, isPreview: boolean): void {
    this.#show(location.tab, isPreview);
    const panes = [...this.#panes].filter(([, group]) => this.#isActive(group));
    if (!panes.some(([pane]) => pane.goTo(location))) this.#pendingLocation = location;
  }

  close(tab: Tab, which: CloseScope = 'this', group = this.activeGroup.get()): void {
    const tabs = this.groups[group].get();
    const closing = tabsToClose(tabs, tab, which);
    this.recentlyClosed.set([...this.recentlyClosed.get(), ...closing].slice(-maxClosed));
    this.#set(group, closing.reduce(closeTab, tabs));
    this.#joinEmptyGroup();
  }

  /** Reopens the tab closed last whose file still exists. */
  reopen(): void {
    const paths = this.#options.paths.get();
    const left = this.recentlyClosed.get().filter((tab) => isPresent(tab, paths));
    const tab = left.at(-1);
    this.recentlyClosed.set(left.slice(0, -1));
    if (tab) this.#show(tab, false);
  }

  keepOpen(tab: Tab, group = this.activeGroup.get()): void {
    this.#set(group, keepTabOpen(this.groups[group].get(), tab));
  }

  togglePin(tab: Tab, group = this.activeGroup.get()): void {
    this.#set(group, togglePin(this.groups[group].get(), tab));
  }

  /** Moves a tab within its group, or to the other one. */
  move(tab: Tab, to: number, from: EditorGroupIndex, group: EditorGroupIndex = from): void {
    if (group !== from) {
      this.#set(from, closeTab(this.groups[from].get(), tab));
      this.#set(group, openTab(this.groups[group].get(), tab));
    }
    this.#set(group, moveTab(this.groups[group].get(), tab, to));
    this.focusGroup(group);
    this.#joinEmptyGroup();
  }

  /** Splits the editor, showing the active tab in both groups, or joins the groups. */
  split(isSplit: boolean): void {
    const { active } = this.activeTabs.get();
    if (isSplit && active !== undefined) this.#set(1, createTabs([active]));
    if (!isSplit) {
      const [first, second] = [this.groups[0].get(), this.groups[1].get()];
      this.#set(0, { ...second.open.reduce((tabs, tab) => openTab(tabs, tab), first), active });
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
      this.#set(group, renameFile(this.groups[group].get(), from, to));
  }

  /** Closes tabs of deleted files. */
  closeMissing(paths: readonly string[]): void {
    for (const group of groupIndexes)
      this.#set(group, closeMissingTabs(this.groups[group].get(), paths));
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
      const path = getEditedPath(preview);
      if (!preview || path === undefined) continue;
      if (files.get(path) !== this.#transientTexts.get(path)) this.keepOpen(preview, group);
    }
  }

  /** Mounts an editor in an element. Must be closed before the element is removed. */
  mountEditor(parent: HTMLElement, group?: EditorGroupIndex): EditorHost {
    const { pane: shared, paths } = this.#options;
    const pane = new EditorHost({
      ...shared,
      parent,
      paths: paths.get,
      takeLocation: (tab) => this.takeLocation(tab, group),
    });
    parent.addEventListener('focusin', () => (this.#focusedPane = pane));
    this.#panes.set(pane, group);
    return pane;
  }

  /** Takes the location to go to in a tab that a group has just shown, if there is one. */
  takeLocation(tab: Tab, group: EditorGroupIndex | undefined): TabLocation | undefined {
    const location = this.#pendingLocation;
    if (!location || !isSameTab(location.tab, tab) || !this.#isActive(group)) return undefined;
    this.#pendingLocation = undefined;
    return location;
  }

  closeEditor(pane: EditorHost): void {
    this.#panes.delete(pane);
    if (this.#focusedPane === pane) this.#focusedPane = undefined;
    pane.close();
  }

  /** File as it is in a version of the project. Undefined if the version doesn't have it. */
  readonly readVersion = (number: number, path: string): Promise<ProjectFile | undefined> =>
    this.#options.pane.readVersion(number, path);

  /** Inserts text into the editor that has, or last had, the focus. */
  insertText(text: string): void {
    this.#findPane()?.insertText(text);
  }

  /** Moves the cursor past a text that was inserted at it, in every editor that shows the file. */
  moveCursor(path: string, from: number, to: number): void {
    for (const pane of this.#panes.keys()) pane.moveCursor(path, from, to);
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
      active !== undefined &&
      isSameTab(active, pane.shown.get()) &&
      (group ?? 0) === this.activeGroup.get();
    return this.#focusedPane ?? [...this.#panes].find(isSeen)?.[0];
  }

  #isActive(group: EditorGroupIndex | undefined): boolean {
    return group === undefined || group === this.activeGroup.get();
  }

  #show(tab: Tab, isPreview: boolean): void {
    this.#pendingLocation = undefined;
    const group = this.activeGroup.get();
    const path = getEditedPath(tab);
    if (isPreview && path !== undefined)
      this.#transientTexts.set(path, this.#options.files().get(path));
    this.#set(group, openTab(this.groups[group].get(), tab, isPreview));
    this.view.set('code');
    this.#reveal(path);
  }

  #set(group: EditorGroupIndex, tabs: TabList): void {
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
   * Makes the opened tab visible: switches to a layout that shows it, and closes the sidebar that
   * covers it on a phone.
   */
  #reveal(path: string | undefined): void {
    const { workspaceLayout: source, paths } = this.#options;
    const workspaceLayout = source.get();
    const { layout } = workspaceLayout;
    const isInColumn = path !== undefined && isColumnFile(path, paths.get());
    const showsIt = layout === 'columns' ? isInColumn : layout !== 'result';
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
