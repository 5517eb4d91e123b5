import { limits } from '@vitrine/project';
import * as Y from 'yjs';
import { checksum } from './checksum.ts';

/*
 * The gate that every update from outside passes: the server, another tab, this device's own
 * storage. Bytes that are too many, do not match their checksum, do not decode, or hold what our
 * documents are not made of, never reach a document.
 *
 * `Y.decodeUpdate` comes before `Y.applyUpdate` for a reason: the latter believes the counts that an
 * update states about itself, and seven bytes can make it allocate 264 MB.
 */

/** An update with the checksum it was stored under. */
export interface CheckedUpdate {
  readonly update: Uint8Array<ArrayBuffer>;
  readonly sha256: string;
}

/** The largest whole state that we open: the text, and what editing it left behind. */
const stateMaxBytes = 8 * limits.projectMaxBytes;

/**
 * Applies an update under an origin. Returns why it was refused, and undefined when it is in;
 * a refused update has changed nothing.
 */
export async function admitUpdate(
  doc: Y.Doc,
  { update, sha256 }: CheckedUpdate,
  origin: unknown,
  size: 'update' | 'state' = 'update',
): Promise<string | undefined> {
  const maxBytes = size === 'state' ? stateMaxBytes : limits.updateMaxBytes;
  if (update.length > maxBytes) return `it is larger than ${maxBytes} bytes`;
  if ((await checksum(update)) !== sha256) return 'its checksum does not match';
  const problem = findContentProblem(update);
  return problem ?? applyGuarded(doc, update, origin);
}

function findContentProblem(update: Uint8Array): string | undefined {
  let structs;
  try {
    ({ structs } = Y.decodeUpdate(update));
  } catch (error) {
    // Yjs throws plain errors of many kinds here, and each says the same: these bytes are no update.
    return `it does not decode (${String(error)})`;
  }
  for (const struct of structs) {
    if (struct instanceof Y.Item && !isKnownContent(struct.content)) {
      return `it holds ${struct.content.constructor.name}`;
    }
  }
  return undefined;
}

/** Documents are made of maps, texts, plain values and characters (see the document of a project). */
function isKnownContent(content: Y.Item['content']): boolean {
  if (content instanceof Y.ContentType) {
    return content.type instanceof Y.Map || content.type instanceof Y.Text;
  }
  return (
    content instanceof Y.ContentString ||
    content instanceof Y.ContentAny ||
    content instanceof Y.ContentDeleted
  );
}

function applyGuarded(doc: Y.Doc, update: Uint8Array, origin: unknown): string | undefined {
  try {
    Y.applyUpdate(doc, update, origin);
    return undefined;
  } catch (error) {
    // Some bytes decode and still cannot be integrated; whoever sent them must not stop the editor.
    return `it cannot be applied (${String(error)})`;
  }
}
