import type { CheckedUpdate } from './gate.ts';

/*
 * The tabs of one browser that hold the same document. They tell each other what they have written
 * on the device and what the server has acknowledged; both are hints, since each reads the device
 * before it sends. `alone` lets one tab send at a time, so that edits go in the order in which they
 * build on each other; a closed or killed tab lets go of it by itself.
 */

export type TabMessage =
  | { readonly type: 'written'; readonly update: CheckedUpdate }
  | { readonly type: 'acknowledged' }
  /** The draft is this project now; of a tab of an earlier version only that it is one. */
  | { readonly type: 'became-project'; readonly project?: string };

export interface Tabs {
  tell(message: TabMessage): void;
  /** Runs `work` when no other tab of this document does. Without Web Locks (plain HTTP), at once: the database drops what comes twice. */
  alone(work: () => Promise<void>): Promise<void>;
  close(): void;
}

export function joinTabs(name: string, hear: (message: TabMessage) => void): Tabs {
  const channel = new BroadcastChannel(name);
  channel.onmessage = ({ data }: { data: unknown }) => {
    const message = findMessage(data);
    if (message) hear(message);
  };
  return {
    tell: (message) => channel.postMessage(message),
    alone: async (work) => {
      const locks: LockManager | undefined = globalThis.navigator.locks;
      await (locks ? locks.request(name, work) : work());
    },
    close: () => channel.close(),
  };
}

/** Tabs of an older or newer version may say what this one does not know: that is left unheard. */
function findMessage(data: unknown): TabMessage | undefined {
  if (typeof data !== 'object' || data === null || !('type' in data)) return undefined;
  if (data.type === 'acknowledged') return { type: data.type };
  if (data.type === 'became-project') {
    const project = 'project' in data ? data.project : undefined;
    return { type: data.type, ...(typeof project === 'string' && { project }) };
  }
  if (data.type !== 'written' || !('update' in data)) return undefined;
  const update = findUpdate(data.update);
  return update && { type: 'written', update };
}

function findUpdate(value: unknown): CheckedUpdate | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (!('update' in value) || !('sha256' in value)) return undefined;
  const { update, sha256 } = value;
  if (!(update instanceof Uint8Array) || typeof sha256 !== 'string') return undefined;
  return { update: Uint8Array.from(update), sha256 };
}
