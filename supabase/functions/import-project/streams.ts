/**
 * Reads a generator as a stream, one value at a time. Canceling the stream ends the generator, so
 * that it cleans up. (`ReadableStream.from` isn’t in every runtime.)
 */
export function toStream<T>(values: AsyncGenerator<T>): ReadableStream<T> {
  return new ReadableStream<T>({
    async pull(controller) {
      const { done, value } = await values.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await values.return(undefined);
    },
  });
}
