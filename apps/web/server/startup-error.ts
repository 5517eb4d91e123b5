/** A reason not to start, as one sentence for the person at the terminal. The process then exits with 1. */
export class StartupError extends Error {
  constructor(sentence: string, options?: ErrorOptions) {
    super(sentence, options);
    this.name = 'StartupError';
  }
}
