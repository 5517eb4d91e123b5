import type { MountOptions, Preview, PreviewState, Problem, RunMode } from '@vitrine/sandbox/host';
import { emptyLog, type ConsoleLog } from './console-log.ts';
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
  /** The path of the page that shows; null where there is none, or none of the project's. */
  readonly page = new Source<string | null>(null);
  /** It has not been started, since the last run never ended. */
  readonly isHeld = new Source(false);
  /** What runs it; undefined before and after. */
  readonly preview = new Source<Preview | undefined>(undefined);
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
    this.preview.set(preview);
    this.isHeld.set(isHeld);
    if (isHeld) this.state.set({ status: 'stopped' });
    const leave = () => markRun(key, 'stopped');
    addEventListener('pagehide', leave);
    this.#endMark = () => {
      removeEventListener('pagehide', leave);
      leave();
    };
    preview.on((event) => {
      if (event.type === 'state') {
        const { status } = event.state;
        markRun(key, status);
        if (status === 'stopped' || status === 'failed') this.page.set(null);
        this.state.set(event.state);
      } else if (event.type === 'page') this.page.set(event.path);
      else if (event.type === 'problem') this.problems.set(event.problems);
      else if (event.type === 'missing') this.missing.set(event.line);
      else this.#log(event);
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
    this.#clearedId = this.console.get().lines.at(-1)?.id ?? this.#clearedId;
    this.console.set(emptyLog);
  }

  /** Ends the run and takes the frame off the page. */
  close(): void {
    this.preview.get()?.close();
    this.preview.set(undefined);
    this.#endMark?.();
    this.#endMark = undefined;
    this.state.set({ status: 'starting' });
    this.page.set(null);
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
