import type { TestServer } from '@vitrine/testing/server';
import type { Writer } from './kills.ts';
import type { Uploader } from './uploads.ts';

/** The target of a fault. */
export interface FaultTarget {
  server: TestServer;
  readonly port: number;
  readonly dataDir: string;
  readonly writer: Writer;
  readonly uploader: Uploader;
}
