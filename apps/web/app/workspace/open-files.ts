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

/** What is seen where there is room for one thing only. */
export type View = 'code' | 'result';

/** The editors stand side by side: the first one, and where the code is split in two the second. */
export type Side = 0 | 1;

interface OpenFilesOptions {
  readonly files: () => ReadonlyMap<string, string>;
  readonly paths: Source<readonly string[]>;
  readonly arrangement: Source<Arrangement>;
  /** What stood open when the project was seen last. */
  readonly last: LastOpen | undefined;
  /** What a phone shows first. */
  readonly view: View;
  /** What every editor is given. */
  readonly pane: Omit<PaneOptions, 'parent' | 'paths'>;
}

const closedKept = 30;
const noTabs = tabsOf([]);

/** The files that stand open on the screen, with their editors. */
export class OpenFiles {
  /** The tabs of both sides; the second has some while the code is split in two. */
  readonly sides: readonly [Source<Tabs>, Source<Tabs>];
  readonly isSplit = new Source(false);
  /** The side that has, or last had, the focus. */
  readonly side = new Source<Side>(0);
  /** Its tabs. */
  readonly tabs: Source<Tabs>;
  readonly view: Source<View>;
  readonly #options: OpenFilesOptions;
  /** Each with its side; none in a layout that gives every file a place of its own. */
  readonly #panes = new Map<Pane, Side | undefined>();
  /** The one that has, or last had, the focus. */
  #lastPane: Pane | undefined;
  /** What was closed, the latest last. */
  readonly closed = new Source<readonly string[]>([]);
  /** Of a draft, what there is is known only when it is open. */
  #last: LastOpen | undefined;
  /** The texts of files that are only looked at, as they were then. */
  readonly #lookedAt = new Map<string, string | undefined>();

  constructor(options: OpenFilesOptions) {
    this.#options = options;
    const tabs = initialTabs(options.paths.get());
    this.sides = [new Source(tabs), new Source(noTabs)];
    this.tabs = new Source(tabs);
    this.#last = options.last;
    if (options.last) this.restore(options.last);
    // There the tests stand beneath the result.
    const isAtTests = options.arrangement.get().dock === 'tests';
    this.view = new Source<View>(isAtTests ? 'result' : options.view);
  }

  /** Opens what stood open, as far as it is still there. */
  restore(last: LastOpen): void {
    this.#last = last;
    const [first = noTabs, second = noTabs] = last.sides;
    const paths = this.#options.paths.get();
    const present = (tabs: Tabs) =>
      tabs.open.filter((path) => !paths.includes(path)).reduce(closeTab, tabs);
    this.sides[0].set(present(first));
    this.sides[1].set(present(second));
    this.isSplit.set(second.open.length > 0);
    this.#joinIfEmpty();
    for (const side of bothSides) {
      const { preview } = this.sides[side].get();
      if (preview !== undefined) this.#lookedAt.set(preview, this.#options.files().get(preview));
    }
    this.focusSide(0);
  }

  /** Opens a file to stay. */
  readonly show = (path: string): void => this.#show(path, false);

  /** Opens a file until the next one is looked at, unless it is edited. */
  readonly lookAt = (path: string): void => this.#show(path, true);

  /** Opens a file with the cursor at a place. */
  readonly goTo = (place: CodePlace, isPreview = false): void => {
    if (!this.#options.paths.get().includes(place.path)) return;
    this.#show(place.path, isPreview);
    for (const [pane, side] of this.#panes)
      if (side === undefined || side === this.side.get()) pane.goTo(place);
  };

  close(path: string, which: Closing = 'this', side = this.side.get()): void {
    const tabs = this.sides[side].get();
    const those = tabsToClose(tabs, path, which);
    this.closed.set([...this.closed.get(), ...those].slice(-closedKept));
    this.#set(side, those.reduce(closeTab, tabs));
    this.#joinIfEmpty();
  }

  /** Opens what was closed last and is still there. */
  reopen(): void {
    const paths = this.#options.paths.get();
    const left = this.closed.get().filter((path) => paths.includes(path));
    const path = left.at(-1);
    this.closed.set(left.slice(0, -1));
    if (path !== undefined) this.show(path);
  }

  keep(path: string, side = this.side.get()): void {
    this.#set(side, keepTab(this.sides[side].get(), path));
  }

  togglePin(path: string, side = this.side.get()): void {
    this.#set(side, togglePin(this.sides[side].get(), path));
  }

  /** Puts a tab to another place, or to the other side. */
  move(path: string, to: number, from: Side, side: Side = from): void {
    if (side !== from) {
      this.#set(from, closeTab(this.sides[from].get(), path));
      this.#set(side, openTab(this.sides[side].get(), path));
    }
    this.#set(side, moveTab(this.sides[side].get(), path, to));
    this.focusSide(side);
    this.#joinIfEmpty();
  }

  /** Shows the file that is seen on both sides, or only one side from now on. */
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

  focusSide(side: Side): void {
    this.side.set(this.isSplit.get() ? side : 0);
    this.tabs.set(this.sides[this.side.get()].get());
  }

  /** A renamed file keeps its tab. */
  follow(from: string, to: string): void {
    for (const side of bothSides) this.#set(side, renameTab(this.sides[side].get(), from, to));
  }

  /** Tabs of files that are gone are closed. */
  adopt(paths: readonly string[]): void {
    for (const side of bothSides) {
      const tabs = this.sides[side].get();
      const gone = tabs.open.filter((path) => !paths.includes(path));
      this.#set(side, gone.reduce(closeTab, tabs));
    }
    this.#joinIfEmpty();
  }

  /** A project without an open tab opens what stood open, else its first files. */
  openFirst(): void {
    if (this.tabs.get().open.length === 0 && this.#last) this.restore(this.#last);
    if (this.tabs.get().open.length === 0) this.#set(0, initialTabs(this.#options.paths.get()));
  }

  /** What was only looked at stays once it is edited. */
  keepEdited(files: ReadonlyMap<string, string>): void {
    for (const side of bothSides) {
      const { preview } = this.sides[side].get();
      if (preview !== undefined && files.get(preview) !== this.#lookedAt.get(preview))
        this.keep(preview, side);
    }
  }

  /** Opens an editor in an element; `close` it before the element goes. */
  openPane(parent: HTMLElement, side?: Side): Pane {
    const { pane: shared, paths } = this.#options;
    const pane = new Pane({ ...shared, parent, paths: paths.get });
    parent.addEventListener('focusin', () => (this.#lastPane = pane));
    this.#panes.set(pane, side);
    return pane;
  }

  closePane(pane: Pane): void {
    this.#panes.delete(pane);
    if (this.#lastPane === pane) this.#lastPane = undefined;
    pane.close();
  }

  /** Types into the editor that has, or last had, the focus. */
  type(text: string): void {
    this.#findPane()?.type(text);
  }

  /** Does there what a command of the editor’s table does. */
  runInEditor(id: string): void {
    this.#findPane()?.run(id);
  }

  /** A file's text is another one now. */
  refresh(path: string): void {
    for (const pane of this.#panes.keys()) void pane.refresh(path);
  }

  setProblems(problems: readonly ListedProblem[]): void {
    for (const pane of this.#panes.keys()) pane.setProblems(problems);
  }

  #findPane(): Pane | undefined {
    const { active } = this.tabs.get();
    const isSeen = ([pane, side]: [Pane, Side | undefined]) =>
      pane.shown.get() === active && (side ?? 0) === this.side.get();
    return this.#lastPane ?? [...this.#panes].find(isSeen)?.[0];
  }

  #show(path: string, isPreview: boolean): void {
    const side = this.side.get();
    if (isPreview) this.#lookedAt.set(path, this.#options.files().get(path));
    this.#set(side, openTab(this.sides[side].get(), path, isPreview));
    this.view.set('code');
    this.#makeRoom(path);
  }

  #set(side: Side, tabs: Tabs): void {
    this.sides[side].set(tabs);
    if (side === this.side.get()) this.tabs.set(tabs);
  }

  /** A side without a tab goes. */
  #joinIfEmpty(): void {
    if (!this.isSplit.get()) return;
    const [first, second] = [this.sides[0].get(), this.sides[1].get()];
    if (first.open.length > 0 && second.open.length > 0) return;
    this.isSplit.set(false);
    this.#set(0, first.open.length > 0 ? first : second);
    this.#set(1, noTabs);
    this.focusSide(0);
  }

  /** What is opened can be seen: its layout shows it, and on a phone no panel lies over it. */
  #makeRoom(path: string): void {
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

const bothSides = [0, 1] as const;
