import { createHash } from 'node:crypto';
import { Transform, type Readable } from 'node:stream';

/**
 * Passes a file's bytes on and compares their checksum. The last piece is held back until it is
 * known: where the disk gave other bytes, whoever reads sees the stream break off, never an end.
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
      done(new Error('A stored file is not as it was written.'));
    },
  });
  source.on('error', (error) => checked.destroy(error));
  checked.on('close', () => source.destroy());
  return source.pipe(checked);
}
