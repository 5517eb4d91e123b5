import { blocksCompilation, severityOf, type ListedProblem } from '../problems/problems.ts';
import { Timer } from '../../schedule.ts';
import { ValueStore } from '../value-store.ts';

/** Delay after the last edit before a new error is shown. */
const debounceMs = 800;

/**
 * Error shown in the preview's overlay. It disappears as soon as its cause is fixed. A new error
 * waits for a pause in typing, so that nothing flashes between keystrokes.
 */
export class ErrorOverlayState {
  readonly current = new ValueStore<ListedProblem | null>(null);
  /** Newest error, shown or pending. */
  #newest: ListedProblem | undefined;
  #previous = new Set<string>();
  /** Error dismissed by the user. Cleared when it has been fixed once. */
  #dismissed: string | undefined;
  readonly #timer = new Timer();

  /** Called on each edit. */
  onEdit(): void {
    this.#timer.start(debounceMs, () => this.#show());
  }

  setProblems(problems: readonly ListedProblem[]): void {
    const errors = problems.filter((each) => severityOf(each) === 'error');
    const isNew = (each: ListedProblem) => !this.#previous.has(identify(each));
    const last = this.#newest && identify(this.#newest);
    // A compile error takes precedence over errors that may result from it, unless it was
    // dismissed.
    const causes = errors.filter(
      (each) => blocksCompilation(each) && identify(each) !== this.#dismissed,
    );
    const candidates = causes.length > 0 ? causes : errors;
    const newest =
      candidates.find(isNew) ?? candidates.find((each) => identify(each) === last) ?? candidates[0];
    // A missing package takes precedence over the load errors it causes, but not over a missing file.
    const cause = errors.find(({ kind }) => kind === 'package');
    const isEffect = newest?.kind === 'resource' && newest.module !== undefined;
    this.#newest = isEffect && cause ? cause : newest;
    this.#previous = new Set(errors.map(identify));
    if (this.#dismissed !== undefined && !this.#previous.has(this.#dismissed))
      this.#dismissed = undefined;
    const shown = this.current.get();
    const isUnchanged = shown && this.#newest && identify(shown) === identify(this.#newest);
    if (isUnchanged || !this.#timer.isRunning) this.#show();
    else this.current.set(null);
  }

  /** Hides the current error until it has been fixed once. */
  dismiss(): void {
    const shown = this.current.get();
    if (shown) this.#dismissed = identify(shown);
    this.current.set(null);
  }

  close(): void {
    this.#timer.stop();
    this.setProblems([]);
  }

  #show(): void {
    const isDismissed = this.#newest && identify(this.#newest) === this.#dismissed;
    this.current.set(isDismissed ? null : (this.#newest ?? null));
  }
}

/** Identity of a problem, independent of its line. */
function identify({ kind, path, message }: ListedProblem): string {
  return [kind, path, message].join('\n');
}
