/**
 * An expected reason not to start, with a message for the administrator. The process exits with 1.
 */
export class StartupError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StartupError';
  }
}
