/**
 * Reads a generator as a stream, one value at a time. Canceling the stream calls `onCancel` at once,
 * and ends the generator, so that it cleans up. (`ReadableStream.from` isn’t in every runtime.)
 */
export function toStream<T>(values: AsyncGenerator<T>, onCancel?: () => void): ReadableStream<T> {
  return new ReadableStream<T>({
    async pull(controller) {
      const { done, value } = await values.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      onCancel?.();
      await values.return(undefined);
    },
  });
}
