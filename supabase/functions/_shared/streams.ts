interface StreamOptions {
  /** Called at once when the stream is canceled, before the generator cleans up. */
  onCancel?(): void;
  /** Ends the stream with an error when aborted, also while nobody reads it. */
  signal?: AbortSignal;
}

/**
 * Reads a generator as a stream, one value at a time. Canceling the stream ends the generator, so
 * that it cleans up. (`ReadableStream.from` isn’t in every runtime.)
 */
export function toStream<T>(
  values: AsyncGenerator<T>,
  { onCancel, signal }: StreamOptions = {},
): ReadableStream<T> {
  return new ReadableStream<T>({
    start(controller) {
      signal?.addEventListener('abort', () => controller.error(signal.reason), { once: true });
    },
    async pull(controller) {
      const { done, value } = await values.next();
      if (signal?.aborted) return;
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      onCancel?.();
      await values.return(undefined);
    },
  });
}
