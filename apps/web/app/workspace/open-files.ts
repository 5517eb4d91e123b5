import type { Arrangement } from './arrangement.ts';
import type { CodePlace } from './code-place.ts';
import { isColumnFile } from './columns.ts';
import { Pane, type PaneOptions } from './pane.ts';
import { isPhone } from './phone.ts';
import type { ListedProblem } from './problems.ts';
import { Source } from './source.ts';
import { closeTab, initialTabs, openTab, renameTab, type Tabs } from './tabs.ts';

/** What is seen where there is room for one thing only. */
export type View = 'code' | 'result';

interface OpenFilesOptions {
  readonly paths: Source<readonly string[]>;
  readonly arrangement: Source<Arrangement>;
  /** What every editor is given. */
  readonly pane: Omit<PaneOptions, 'parent' | 'paths'>;
}

/** The files that stand open on the screen, with their editors. */
export class OpenFiles {
  readonly tabs: Source<Tabs>;
  readonly view: Source<View>;
  readonly #options: OpenFilesOptions;
  readonly #panes = new Set<Pane>();

  constructor(options: OpenFilesOptions) {
    this.#options = options;
    this.tabs = new Source(initialTabs(options.paths.get()));
    // There the tests stand beneath the result.
    this.view = new Source<View>(options.arrangement.get().dock === 'tests' ? 'result' : 'code');
  }

  readonly show = (path: string): void => {
    this.tabs.set(openTab(this.tabs.get(), path));
    this.view.set('code');
    this.#makeRoom(path);
  };

  readonly close = (path: string): void => this.tabs.set(closeTab(this.tabs.get(), path));

  /** Opens a file with the cursor at a place. */
  readonly goTo = (place: CodePlace): void => {
    if (!this.#options.paths.get().includes(place.path)) return;
    this.show(place.path);
    for (const pane of this.#panes) pane.goTo(place);
  };

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

  /** A renamed file keeps its tab. */
  follow(from: string, to: string): void {
    this.tabs.set(renameTab(this.tabs.get(), from, to));
  }

  /** Tabs of files that are gone are closed. */
  adopt(paths: readonly string[]): void {
    let tabs = this.tabs.get();
    for (const path of tabs.open) if (!paths.includes(path)) tabs = closeTab(tabs, path);
    this.tabs.set(tabs);
  }

  /** A project without an open tab opens its first ones. */
  openFirst(): void {
    if (this.tabs.get().open.length === 0) this.tabs.set(initialTabs(this.#options.paths.get()));
  }

  /** Opens an editor in an element; `close` it before the element goes. */
  openPane(parent: HTMLElement): Pane {
    const { pane: shared, paths } = this.#options;
    const pane = new Pane({ ...shared, parent, paths: paths.get });
    this.#panes.add(pane);
    return pane;
  }

  closePane(pane: Pane): void {
    this.#panes.delete(pane);
    pane.close();
  }

  /** Types into the editor that has, or last had, the focus. */
  type(text: string): void {
    const [pane] = [...this.#panes].filter((each) => each.shown.get() === this.tabs.get().active);
    pane?.type(text);
  }

  /** A file's text is another one now. */
  refresh(path: string): void {
    for (const pane of this.#panes) void pane.refresh(path);
  }

  setProblems(problems: readonly ListedProblem[]): void {
    for (const pane of this.#panes) pane.setProblems(problems);
  }
}
