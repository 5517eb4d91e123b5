import { VitrineError, type ErrorCode } from '@vitrine/project';

/** An upload in the list. */
export interface Upload {
  readonly id: string;
  readonly path: string;
  /** Number of bytes. */
  readonly size: number;
  readonly state: UploadState;
}

/** `waiting`: the server couldn't be reached, and is tried again. */
export type UploadState =
  | { readonly status: 'queued' }
  | { readonly status: 'uploading'; readonly sent: number }
  | { readonly status: 'waiting' }
  | { readonly status: 'failed'; readonly code: ErrorCode };

/** Files that couldn't be uploaded, by path. */
export class UploadError extends VitrineError {
  readonly paths: readonly string[];

  constructor(code: ErrorCode, paths: readonly string[], options?: ErrorOptions) {
    super(code, paths.join(', '), options);
    this.paths = paths;
  }
}

/** Whether a later attempt may succeed without anything that the user does. */
export function isConnectionError(code: ErrorCode): boolean {
  return ['server_unreachable', 'backend_unreachable', 'rate_limited'].includes(code);
}

/** Ids sort in the order of their creation. */
export function createUploadId(): string {
  const random = Math.random().toString(36).slice(2, 12);
  return `${Date.now().toString(36).padStart(9, '0')}${random}`;
}
