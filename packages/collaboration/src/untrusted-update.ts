import { limits } from '@vitrine/project';
import * as Y from 'yjs';
import { computeChecksum } from './checksum.ts';

/*
 * Validation of untrusted updates: from the server, from other tabs and from this device's own
 * storage. An update that is too large, doesn't match its checksum, can't be decoded or contains
 * content types that project documents don't use is never applied.
 *
 * `Y.decodeUpdate` has to run before `Y.applyUpdate`, which trusts the counts that an update declares:
 * seven bytes can make it allocate 264 MB.
 */

/** An update with the SHA-256 it was stored with, as lowercase hex. */
export interface UpdateWithChecksum {
  readonly update: Uint8Array<ArrayBuffer>;
  readonly sha256: string;
}

/** Maximum size of a whole document state: the text and the metadata of deleted text. */
const stateMaxBytes = 8 * limits.projectMaxBytes;

/**
 * Validates an update and applies it with an origin. Returns undefined if it was applied, or else
 * the reason; a rejected update leaves the document unchanged.
 * @param size `state` allows the size of a whole document instead of that of one update.
 */
export async function applyUntrustedUpdate(
  doc: Y.Doc,
  { update, sha256 }: UpdateWithChecksum,
  origin: unknown,
  size: 'update' | 'state' = 'update',
): Promise<string | undefined> {
  const maxBytes = size === 'state' ? stateMaxBytes : limits.updateMaxBytes;
  if (update.length > maxBytes) return `it is larger than ${maxBytes} bytes`;
  if ((await computeChecksum(update)) !== sha256) return 'its checksum doesn’t match';
  const problem = findContentProblem(update);
  return problem ?? tryApplyUpdate(doc, update, origin);
}

function findContentProblem(update: Uint8Array): string | undefined {
  let structs;
  try {
    ({ structs } = Y.decodeUpdate(update));
  } catch (error) {
    // Yjs throws errors of many kinds here, and all mean that the bytes are not an update.
    return `it can’t be decoded (${String(error)})`;
  }
  for (const struct of structs) {
    if (struct instanceof Y.Item && !isAllowedContent(struct.content)) {
      return `it contains ${struct.content.constructor.name}`;
    }
  }
  return undefined;
}

/** Project documents consist of maps, texts, plain values and strings only. */
function isAllowedContent(content: Y.Item['content']): boolean {
  if (content instanceof Y.ContentType) {
    return content.type instanceof Y.Map || content.type instanceof Y.Text;
  }
  return (
    content instanceof Y.ContentString ||
    content instanceof Y.ContentAny ||
    content instanceof Y.ContentDeleted
  );
}

function tryApplyUpdate(doc: Y.Doc, update: Uint8Array, origin: unknown): string | undefined {
  try {
    Y.applyUpdate(doc, update, origin);
    return undefined;
  } catch (error) {
    // Some updates can be decoded but not integrated. They must not break the editor.
    return `it can’t be applied (${String(error)})`;
  }
}
