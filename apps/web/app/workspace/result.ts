import type { PromptCode } from '@vitrine/editor';
import type {
  MountOptions,
  PageAnswer,
  PageAsk,
  Preview,
  PreviewState,
  Problem,
  RunMode,
} from '@vitrine/sandbox/host';
import { emptyLog, type ConsoleLog } from './console-log.ts';
import { getConsoleSettings } from './console-settings.ts';
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
  /** The path of the page that shows; null where there is none, or none of the project's. */
  readonly page = new Source<string | null>(null);
  /** It has not been started, since the last run never ended. */
  readonly isHeld = new Source(false);
  /** What runs it; undefined before and after. */
  readonly preview = new Source<Preview | undefined>(undefined);
  #mark: RunMark | undefined;

  /** Starts the project in an element, unless the signal ends first. */
  async show(element: HTMLElement, options: ResultOptions, signal: AbortSignal): Promise<void> {
    const { key } = options;
    const [{ mount }, isHeld] = await Promise.all([
      import('@vitrine/sandbox/host'),
      RunMark.isLeft(key),
    ]);
    if (signal.aborted) return;
    const preview = mount({ element, title: 'Result', stopped: isHeld, ...options });
    this.preview.set(preview);
    preview.console.keep(getConsoleSettings().get().keepsLog);
    this.isHeld.set(isHeld);
    if (isHeld) this.state.set({ status: 'stopped' });
    const mark = new RunMark(key, {
      sharesProcess: options.place.path === 'portable' && options.place.sharesProcess,
    });
    this.#mark = mark;
    preview.on((event) => {
      if (event.type === 'state') {
        const { status } = event.state;
        mark.follow(status);
        if (status === 'stopped' || status === 'failed') this.page.set(null);
        this.state.set(event.state);
      } else if (event.type === 'page') this.page.set(event.path);
      else if (event.type === 'problem') this.problems.set(event.problems);
      else if (event.type === 'missing') this.missing.set(event.line);
      else this.console.set(event);
    });
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

  clearConsole(): void {
    this.preview.get()?.console.clear();
  }

  /** Whether the console's lines outlive the page that logged them. */
  keepLog(isKept: boolean): void {
    this.preview.get()?.console.keep(isKept);
  }

  /** Runs code in the page; it and its outcome come to the console. */
  runInPage(code: PromptCode): void {
    void this.preview.get()?.console.evaluate(code);
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
    this.state.set({ status: 'starting' });
    this.page.set(null);
    this.isHeld.set(false);
    this.problems.set([]);
    this.console.set(emptyLog);
  }
}
