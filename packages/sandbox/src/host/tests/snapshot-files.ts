import type { SnapshotWrite } from '../../test-messages.ts';
import type { CompileQueue } from '../compile-queue.ts';
import { writeInlineSnapshots } from './inline-snapshots.ts';

/** A file with its text when the tests ran, and its text with updated snapshots. */
export interface SnapshotFile {
  path: string;
  /** Null if the file didn't exist. */
  before: string | null;
  text: string;
}

/** Path of a file's snapshots, named as Vitest does: "src/sum.test.ts" → "src/__snapshots__/sum.test.ts.snap" */
export function snapshotPathOf(path: string): string {
  const at = path.lastIndexOf('/') + 1;
  return `${path.slice(0, at)}__snapshots__/${path.slice(at)}.snap`;
}

export function updateSnapshotFiles(
  ran: { path: string; text: string; snapshots: string | null; writes: readonly SnapshotWrite[] },
  queue: Pick<CompileQueue, 'mapLocation'>,
): SnapshotFile[] {
  const { path, text, snapshots, writes } = ran;
  const inline = writes.flatMap((write) =>
    write.kind === 'inline'
      ? [
          {
            ...queue.mapLocation({ path, line: write.line, column: write.column }),
            text: write.text,
          },
        ]
      : [],
  );
  const written = writeInlineSnapshots(text, inline);
  const file = writes.findLast((write) => write.kind === 'file');
  return [
    ...(written === text ? [] : [{ path, before: text, text: written }]),
    ...(file ? [{ path: snapshotPathOf(path), before: snapshots, text: file.text }] : []),
  ];
}
