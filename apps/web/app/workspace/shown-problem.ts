import { isCause, severityOf, type ListedProblem } from './problems.ts';
import { Source } from './source.ts';

/** How long typing rests before the result says what is wrong with what was typed. */
const restMs = 800;

/**
 * The error that the result's overlay tells of. It goes as soon as its cause is gone; one that comes
 * with what is being typed waits for a pause, so that nothing flashes between two letters.
 */
export class ShownProblem {
  readonly current = new Source<ListedProblem | null>(null);
  /** The newest error, shown or waiting. */
  #newest: ListedProblem | undefined;
  #known = new Set<string>();
  /** Put aside by the person, until it has gone once. */
  #aside: string | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Somebody has typed. */
  edited(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#show();
    }, restMs);
  }

  /** All that is wrong at this moment. */
  take(problems: readonly ListedProblem[]): void {
    const errors = problems.filter((each) => severityOf(each) === 'error');
    const isNew = (each: ListedProblem) => !this.#known.has(nameOf(each));
    const last = this.#newest && nameOf(this.#newest);
    // A file that does not compile comes before all that may come of it, unless it was put aside.
    const causes = errors.filter((each) => isCause(each) && nameOf(each) !== this.#aside);
    const told = causes.length > 0 ? causes : errors;
    const newest = told.find(isNew) ?? told.find((each) => nameOf(each) === last) ?? told[0];
    // What did not load for want of a package is told by that.
    const cause = errors.find(({ kind }) => kind === 'package');
    this.#newest = newest?.kind === 'resource' && cause ? cause : newest;
    this.#known = new Set(errors.map(nameOf));
    if (this.#aside !== undefined && !this.#known.has(this.#aside)) this.#aside = undefined;
    const shown = this.current.get();
    const isStill = shown && this.#newest && nameOf(shown) === nameOf(this.#newest);
    if (isStill || this.#timer === undefined) this.#show();
    else this.current.set(null);
  }

  /** Puts what is shown aside. */
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

/** The same for a problem that has only moved to another line. */
function nameOf({ kind, path, sentence }: ListedProblem): string {
  return [kind, path, sentence].join('\n');
}
