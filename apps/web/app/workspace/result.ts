import type { PromptCode } from '@vitrine/editor';
import type { BegunFrame } from '@vitrine/sandbox/begun-frame';
import type {
  AccessibilityReport,
  MountOptions,
  PageAnswer,
  PageAsk,
  Picture,
  Preview,
  PreviewEvent,
  PreviewState,
  Problem,
  RunMode,
  Whereabouts,
} from '@vitrine/sandbox/host';
import { emptyLog, type ConsoleLog } from './console-log.ts';
import { getConsoleSettings } from './console-settings.ts';
import { NetworkWatch } from './network-watch.ts';
import { initialView, keepView, loadView, type ResultView } from './result-view.ts';
import { RunMark } from './run-mark.ts';
import { Source } from './source.ts';

/** Options of the preview besides its element. */
export type ResultOptions = Pick<
  MountOptions,
  'key' | 'place' | 'files' | 'served' | 'enter' | 'plainAddresses' | 'runMode'
>;

/** The preview of a workspace and the state it reports, from `show` to `close`. */
export class Result {
  readonly state = new Source<PreviewState>({ status: 'starting' });
  readonly console = new Source<ConsoleLog>(emptyLog);
  readonly problems = new Source<readonly Problem[]>([]);
  /** Features this preview lacks, in one line. Null if there are none. */
  readonly missing = new Source<string | null>(null);
  /** Current page, as it reports itself. Null if none is shown. */
  readonly at = new Source<Whereabouts | null>(null);
  readonly network = new NetworkWatch();
  readonly accessibility = new Source<AccessibilityReport>({ status: 'resting' });
  /** View settings of this device. */
  readonly view = new Source<ResultView>(initialView);
  /** True if the preview wasn't started because the last run crashed. */
  readonly isHeld = new Source(false);
  /** The mounted preview. Undefined before `show` and after `close`. */
  readonly preview = new Source<Preview | undefined>(undefined);
  /** Storage key of the project. */
  #key = '';
  /** True while accessibility checks are requested. */
  #checksAccessibility = false;
  /** Console input that waits for the page. */
  #pendingInput: PromptCode[] = [];
  #crashMarker: RunMark | undefined;

  /** Starts the preview in an element, unless the signal aborts first. */
  async show(element: HTMLElement, options: ResultOptions, signal: AbortSignal): Promise<void> {
    const { key } = options;
    const [{ mount }, isHeld] = await Promise.all([
      import('@vitrine/sandbox/host'),
      RunMark.isLeft(key),
    ]);
    if (signal.aborted) return;
    const prerendered = takePrerendered(element);
    const preview = mount({
      element,
      title: 'Result',
      stopped: isHeld,
      ...options,
      ...(prerendered && { begun: prerendered }),
    });
    this.preview.set(preview);
    this.#key = key;
    preview.console.keep(getConsoleSettings().get().keepsLog);
    this.view.set(loadView(key));
    preview.setGuise(this.view.get().guise);
    this.network.follow(preview);
    preview.accessibility.watch(this.#checksAccessibility);
    this.isHeld.set(isHeld);
    if (isHeld) this.#setState({ status: 'stopped' });
    const marker = new RunMark(key, {
      isLeft: isHeld,
      sharesProcess: options.place.path === 'portable' && options.place.sharesProcess,
    });
    this.#crashMarker = marker;
    preview.on((event) => {
      if (event.type === 'state') marker.follow(event.state.status);
      this.#onEvent(event);
    });
    preloadConsole(preview);
  }

  #setState(state: PreviewState): void {
    if (state.status === 'stopped' || state.status === 'failed') this.at.set(null);
    this.state.set(state);
    if (state.status !== 'starting')
      for (const code of this.#pendingInput.splice(0)) this.runInPage(code);
  }

  #onEvent(event: PreviewEvent): void {
    switch (event.type) {
      case 'state':
        return this.#setState(event.state);
      case 'address':
        return this.at.set(event.at);
      case 'problem':
        return this.problems.set(event.problems);
      case 'missing':
        return this.missing.set(event.line);
      case 'network':
        return this.network.log.set(event.log);
      case 'accessibility':
        return this.accessibility.set(event.report);
      case 'console':
        return this.console.set({
          lines: event.lines,
          dropped: event.dropped,
          document: event.document,
        });
    }
  }

  /** Updates the preview to these files. Unchanged files cost nothing. */
  update(files: ReadonlyMap<string, string>): void {
    this.preview.get()?.update(files);
  }

  setRunMode(mode: RunMode): void {
    this.preview.get()?.setRunMode(mode);
  }

  run(): void {
    this.isHeld.set(false);
    this.preview.get()?.run();
  }

  stop(): void {
    this.preview.get()?.stop();
  }

  /** Navigates to a path of the project: "/about.html?x=1#top". */
  visit(address: string): void {
    this.isHeld.set(false);
    this.preview.get()?.visit(address);
  }

  travel(by: -1 | 1): void {
    this.preview.get()?.travel(by);
  }

  /** Reloads the current page. */
  reload(): void {
    this.isHeld.set(false);
    this.preview.get()?.reload();
  }

  setView(view: ResultView): void {
    const { guise } = this.view.get();
    this.view.set(view);
    if (view.guise !== guise) this.preview.get()?.setGuise(view.guise);
    keepView(this.#key, view);
  }

  /** Turns accessibility checks on or off. They run now and after each change. */
  check(isWanted: boolean): void {
    this.#checksAccessibility = isWanted;
    this.preview.get()?.accessibility.watch(isWanted);
  }

  /** Outlines an element of a finding in the page. Null removes the outline. */
  outline(element: number | null): void {
    this.preview.get()?.accessibility.outline(element);
  }

  async takePicture(): Promise<Picture> {
    return this.preview.get()?.takePicture() ?? { status: 'failed' };
  }

  clearConsole(): void {
    this.preview.get()?.console.clear();
  }

  /** Whether log entries are kept when the page reloads. */
  keepLog(isKept: boolean): void {
    this.preview.get()?.console.keep(isKept);
  }

  /** Evaluates code in the page, once there is one. The console shows the code and its result. */
  runInPage(code: PromptCode): void {
    if (this.state.get().status === 'starting') this.#pendingInput.push(code);
    else void this.preview.get()?.console.evaluate(code);
  }

  async completeInPage(path: string[]): Promise<string[]> {
    return (await this.preview.get()?.console.complete(path)) ?? [];
  }

  async askPage(ask: PageAsk, document: number): Promise<PageAnswer> {
    return (await this.preview.get()?.console.ask(ask, document)) ?? { kind: 'gone' };
  }

  /** Stops the preview and removes its iframe. */
  close(): void {
    this.preview.get()?.close();
    this.preview.set(undefined);
    this.#crashMarker?.close();
    this.#crashMarker = undefined;
    this.#pendingInput = [];
    this.state.set({ status: 'starting' });
    this.at.set(null);
    this.network.follow(undefined);
    this.accessibility.set({ status: 'resting' });
    this.isHeld.set(false);
    this.problems.set([]);
    this.console.set(emptyLog);
  }
}

/**
 * Preloads the console's agent in the page with a dummy query after the first run, so that the
 * console also works if it is opened offline later.
 */
function preloadConsole(preview: Preview): void {
  const unsubscribe = preview.on((event) => {
    if (event.type !== 'state' || event.state.status !== 'running') return;
    unsubscribe();
    void preview.console.complete([]);
  });
}

/** Takes over the iframe that the server's page started in this element. */
function takePrerendered(element: HTMLElement): BegunFrame | undefined {
  const prerendered = element.vitrineBegun;
  delete element.vitrineBegun;
  return prerendered;
}
