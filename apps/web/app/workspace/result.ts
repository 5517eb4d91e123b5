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
  /** What runs it; undefined before and after. */
  readonly preview = new Source<Preview | undefined>(undefined);
  /** Names the project to what is kept on this device. */
  #key = '';
  /** Somebody looks at what keeps people out. */
  #isChecked = false;
  /** Code of the prompt that waits for the page. */
  #typed: PromptCode[] = [];
  #mark: RunMark | undefined;

  /** Starts the project in an element, unless the signal ends first. */
  async show(element: HTMLElement, options: ResultOptions, signal: AbortSignal): Promise<void> {
    const { key } = options;
    const [{ mount }, isHeld] = await Promise.all([
      import('@vitrine/sandbox/host'),
      RunMark.isLeft(key),
    ]);
    if (signal.aborted) return;
    const begun = takeBegun(element);
    const preview = mount({
      element,
      title: 'Result',
      stopped: isHeld,
      ...options,
      ...(begun && { begun }),
    });
    this.preview.set(preview);
    this.#key = key;
    preview.console.keep(getConsoleSettings().get().keepsLog);
    this.view.set(loadView(key));
    preview.setGuise(this.view.get().guise);
    this.network.follow(preview);
    preview.accessibility.watch(this.#isChecked);
    this.isHeld.set(isHeld);
    if (isHeld) this.#take({ status: 'stopped' });
    const mark = new RunMark(key, {
      isLeft: isHeld,
      sharesProcess: options.place.path === 'portable' && options.place.sharesProcess,
    });
    this.#mark = mark;
    preview.on((event) => {
      if (event.type === 'state') mark.follow(event.state.status);
      this.#hear(event);
    });
    askOnceBehind(preview);
  }

  #take(state: PreviewState): void {
    if (state.status === 'stopped' || state.status === 'failed') this.at.set(null);
    this.state.set(state);
    if (state.status !== 'starting') for (const code of this.#typed.splice(0)) this.runInPage(code);
  }

  #hear(event: PreviewEvent): void {
    switch (event.type) {
      case 'state':
        return this.#take(event.state);
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
        return this.console.set(event);
    }
  }

  /** Brings the result up to these files; those that did not change cost nothing. */
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

  /** Goes to an address of the project: "/about.html?x=1#top". */
  visit(address: string): void {
    this.isHeld.set(false);
    this.preview.get()?.visit(address);
  }

  travel(by: -1 | 1): void {
    this.preview.get()?.travel(by);
  }

  /** Loads the page that shows anew. */
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

  /** Looks for what keeps people out, now and after each change, until told otherwise. */
  check(isWanted: boolean): void {
    this.#isChecked = isWanted;
    this.preview.get()?.accessibility.watch(isWanted);
  }

  /** Draws an outline around an element that was found; null: around none. */
  outline(element: number | null): void {
    this.preview.get()?.accessibility.outline(element);
  }

  async takePicture(): Promise<Picture> {
    return this.preview.get()?.takePicture() ?? { status: 'failed' };
  }

  clearConsole(): void {
    this.preview.get()?.console.clear();
  }

  /** Whether the console's lines outlive the page that logged them. */
  keepLog(isKept: boolean): void {
    this.preview.get()?.console.keep(isKept);
  }

  /** Runs code in the page, once there is one; it and its outcome come to the console. */
  runInPage(code: PromptCode): void {
    if (this.state.get().status === 'starting') this.#typed.push(code);
    else void this.preview.get()?.console.evaluate(code);
  }

  async completeInPage(path: string[]): Promise<string[]> {
    return (await this.preview.get()?.console.complete(path)) ?? [];
  }

  async askPage(ask: PageAsk, document: number): Promise<PageAnswer> {
    return (await this.preview.get()?.console.ask(ask, document)) ?? { kind: 'gone' };
  }

  /** Ends the run and takes the frame off the page. */
  close(): void {
    this.preview.get()?.close();
    this.preview.set(undefined);
    this.#mark?.close();
    this.#mark = undefined;
    this.#typed = [];
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
 * What answers the console is loaded with the first question. That is asked behind the first page
 * that runs, so that it has come should the network be gone when somebody opens the console.
 */
function askOnceBehind(preview: Preview): void {
  const done = preview.on((event) => {
    if (event.type !== 'state' || event.state.status !== 'running') return;
    done();
    void preview.console.complete([]);
  });
}

/** Who shows the result first takes over what the page has begun. */
function takeBegun(element: HTMLElement): BegunFrame | undefined {
  const begun = element.vitrineBegun;
  delete element.vitrineBegun;
  return begun;
}
