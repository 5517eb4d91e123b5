import { isCause, severityOf, type ListedProblem } from './problems.ts';
import { Source } from './source.ts';

/** Delay after the last edit before a new error is shown. */
const restMs = 800;

/**
 * Error shown in the preview's overlay. It disappears as soon as its cause is fixed. A new error
 * waits for a pause in typing, so that nothing flashes between keystrokes.
 */
export class ShownProblem {
  readonly current = new Source<ListedProblem | null>(null);
  /** Newest error, shown or pending. */
  #newest: ListedProblem | undefined;
  #known = new Set<string>();
  /** Error dismissed by the user. Cleared when it has been fixed once. */
  #aside: string | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Called on each edit. */
  edited(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#show();
    }, restMs);
  }

  /** Sets the current problems. */
  take(problems: readonly ListedProblem[]): void {
    const errors = problems.filter((each) => severityOf(each) === 'error');
    const isNew = (each: ListedProblem) => !this.#known.has(nameOf(each));
    const last = this.#newest && nameOf(this.#newest);
    // A compile error takes precedence over errors that may result from it, unless it was
    // dismissed.
    const causes = errors.filter((each) => isCause(each) && nameOf(each) !== this.#aside);
    const told = causes.length > 0 ? causes : errors;
    const newest = told.find(isNew) ?? told.find((each) => nameOf(each) === last) ?? told[0];
    // A missing package takes precedence over the load errors it causes.
    const cause = errors.find(({ kind }) => kind === 'package');
    this.#newest = newest?.kind === 'resource' && cause ? cause : newest;
    this.#known = new Set(errors.map(nameOf));
    if (this.#aside !== undefined && !this.#known.has(this.#aside)) this.#aside = undefined;
    const shown = this.current.get();
    const isStill = shown && this.#newest && nameOf(shown) === nameOf(this.#newest);
    if (isStill || this.#timer === undefined) this.#show();
    else this.current.set(null);
  }

  /** Hides the current error. */
  dismiss(): void {
    const shown = this.current.get();
    if (shown) this.#aside = nameOf(shown);
    this.current.set(null);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.take([]);
  }

  #show(): void {
    const isAside = this.#newest && nameOf(this.#newest) === this.#aside;
    this.current.set(isAside ? null : (this.#newest ?? null));
  }
}

/** Identity of a problem, independent of its line. */
function nameOf({ kind, path, sentence }: ListedProblem): string {
  return [kind, path, sentence].join('\n');
}
