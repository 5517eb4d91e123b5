import { createHash } from 'node:crypto';
import { Transform, type Readable } from 'node:stream';

/**
 * Passes a file's contents through and compares their checksum. Holds back the last chunk until the
 * checksum is known: readers of a corrupted file get an aborted stream instead of an end.
 */
export function checkWhole(source: Readable, sha256: string): Readable {
  const hash = createHash('sha256');
  let held: Buffer | undefined;
  const checked = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      const before = held;
      held = chunk;
      done(null, before);
    },
    flush(done) {
      if (hash.digest('hex') === sha256) return done(null, held);
      done(new Error('A stored file is corrupted.'));
    },
  });
  source.on('error', (error) => checked.destroy(error));
  checked.on('close', () => source.destroy());
  return source.pipe(checked);
}
