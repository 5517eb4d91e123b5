import type {
  AccessibilityReport,
  MountOptions,
  Picture,
  Preview,
  PreviewEvent,
  PreviewState,
  Problem,
  RunMode,
  Whereabouts,
} from '@vitrine/sandbox/host';
import { emptyLog, type ConsoleLog } from './console-log.ts';
import { NetworkWatch } from './network-watch.ts';
import { initialView, keepView, loadView, type ResultView } from './result-view.ts';
import { isMarked, markRun } from './run-mark.ts';
import { Source } from './source.ts';

/** What a result needs to know beside the element it is shown in. */
export type ResultOptions = Pick<
  MountOptions,
  'key' | 'place' | 'files' | 'served' | 'enter' | 'plainAddresses' | 'runMode'
>;

/** The running project: the preview, and what it tells. It runs from `show` to `close`. */
export class Result {
  readonly state = new Source<PreviewState>({ status: 'starting' });
  readonly console = new Source<ConsoleLog>(emptyLog);
  readonly problems = new Source<readonly Problem[]>([]);
  /** What the way it runs lacks, in one line. */
  readonly missing = new Source<string | null>(null);
  /** Where the page is inside the project, as it says itself; null where none shows. */
  readonly at = new Source<Whereabouts | null>(null);
  readonly network = new NetworkWatch();
  readonly accessibility = new Source<AccessibilityReport>({ status: 'resting' });
  /** How the result is looked at, on this device. */
  readonly view = new Source<ResultView>(initialView);
  /** It has not been started, since the last run never ended. */
  readonly isHeld = new Source(false);
  #preview: Preview | undefined;
  /** Names the project to what is kept on this device. */
  #key = '';
  /** Somebody looks at what keeps people out. */
  #isChecked = false;
  #endMark: (() => void) | undefined;
  /** Lines up to this one were cleared away by the person. */
  #clearedId = 0;

  /** Starts the project in an element, unless the signal ends first. */
  async show(element: HTMLElement, options: ResultOptions, signal: AbortSignal): Promise<void> {
    const { mount } = await import('@vitrine/sandbox/host');
    if (signal.aborted) return;
    const { key } = options;
    const isHeld = isMarked(key);
    const preview = mount({ element, title: 'Result', stopped: isHeld, ...options });
    this.#preview = preview;
    this.#key = key;
    this.view.set(loadView(key));
    preview.setGuise(this.view.get().guise);
    this.network.follow(preview);
    preview.accessibility.watch(this.#isChecked);
    this.isHeld.set(isHeld);
    if (isHeld) this.state.set({ status: 'stopped' });
    const leave = () => markRun(key, 'stopped');
    addEventListener('pagehide', leave);
    this.#endMark = () => {
      removeEventListener('pagehide', leave);
      leave();
    };
    preview.on((event) => {
      if (event.type === 'state') markRun(key, event.state.status);
      this.#hear(event);
    });
  }

  #hear(event: PreviewEvent): void {
    switch (event.type) {
      case 'state':
        if (event.state.status === 'stopped' || event.state.status === 'failed') this.at.set(null);
        return this.state.set(event.state);
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
        return this.#log(event);
      case 'page':
        return;
    }
  }

  /** Brings the result up to these files; those that did not change cost nothing. */
  update(files: ReadonlyMap<string, string>): void {
    this.#preview?.update(files);
  }

  setRunMode(mode: RunMode): void {
    this.#preview?.setRunMode(mode);
  }

  run(): void {
    this.isHeld.set(false);
    this.#preview?.run();
  }

  stop(): void {
    this.#preview?.stop();
  }

  /** Goes to an address of the project: "/about.html?x=1#top". */
  visit(address: string): void {
    this.isHeld.set(false);
    this.#preview?.visit(address);
  }

  travel(by: -1 | 1): void {
    this.#preview?.travel(by);
  }

  /** Loads the page that shows anew. */
  reload(): void {
    this.isHeld.set(false);
    this.#preview?.reload();
  }

  setView(view: ResultView): void {
    const { guise } = this.view.get();
    this.view.set(view);
    if (view.guise !== guise) this.#preview?.setGuise(view.guise);
    keepView(this.#key, view);
  }

  /** Looks for what keeps people out, now and after each change, until told otherwise. */
  check(isWanted: boolean): void {
    this.#isChecked = isWanted;
    this.#preview?.accessibility.watch(isWanted);
  }

  /** Draws an outline around an element that was found; null: around none. */
  outline(element: number | null): void {
    this.#preview?.accessibility.outline(element);
  }

  async takePicture(): Promise<Picture> {
    return this.#preview?.takePicture() ?? { status: 'failed' };
  }

  clearConsole(): void {
    this.#clearedId = this.console.get().lines.at(-1)?.id ?? this.#clearedId;
    this.console.set(emptyLog);
  }

  /** Ends the run and takes the frame off the page. */
  close(): void {
    this.#preview?.close();
    this.#preview = undefined;
    this.#endMark?.();
    this.#endMark = undefined;
    this.state.set({ status: 'starting' });
    this.at.set(null);
    this.network.follow(undefined);
    this.accessibility.set({ status: 'resting' });
    this.isHeld.set(false);
    this.problems.set([]);
    this.console.set(emptyLog);
    this.#clearedId = 0;
  }

  #log({ lines, dropped }: ConsoleLog): void {
    const shown = lines.filter(({ id }) => id > this.#clearedId);
    this.console.set({ lines: shown, dropped: shown.length < lines.length ? 0 : dropped });
  }
}
