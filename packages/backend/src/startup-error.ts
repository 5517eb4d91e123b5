/** An expected reason not to start. Its message is shown to the administrator, without a stack. */
export class StartupError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StartupError';
  }
}
