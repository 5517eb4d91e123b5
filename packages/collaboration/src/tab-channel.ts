import type { UpdateWithChecksum } from './untrusted-update.ts';

/*
 * Communication between the tabs of one browser that have the same document open. Tabs broadcast
 * which updates they have stored on the device and that the server has acknowledged some. Both are
 * hints, since each tab reads the device before it sends. `runExclusively` lets one tab send at a
 * time, so that edits are sent in the order in which they depend on each other. The lock is released
 * when the tab is closed or killed.
 */

export type TabMessage =
  | { readonly type: 'written'; readonly update: UpdateWithChecksum }
  | { readonly type: 'acknowledged' }
  /** The draft became this project. Tabs with an earlier version of the code don't send its id. */
  | { readonly type: 'became-project'; readonly project?: string };

export interface TabChannel {
  broadcast(message: TabMessage): void;
  /**
   * Runs `work` while no other tab of this document runs any. Without Web Locks (plain HTTP), runs it
   * immediately: the database ignores duplicate updates.
   */
  runExclusively(work: () => Promise<void>): Promise<void>;
  close(): void;
}

export function openTabChannel(name: string, onMessage: (message: TabMessage) => void): TabChannel {
  const channel = new BroadcastChannel(name);
  channel.onmessage = ({ data }: { data: unknown }) => {
    const message = parseMessage(data);
    if (message) onMessage(message);
  };
  return {
    broadcast: (message) => channel.postMessage(message),
    runExclusively: async (work) => {
      const locks: LockManager | undefined = globalThis.navigator.locks;
      await (locks ? locks.request(name, work) : work());
    },
    close: () => channel.close(),
  };
}

/** Parses a message. Ignores unknown ones, from tabs with another version of the code. */
function parseMessage(data: unknown): TabMessage | undefined {
  if (typeof data !== 'object' || data === null || !('type' in data)) return undefined;
  if (data.type === 'acknowledged') return { type: data.type };
  if (data.type === 'became-project') {
    const project = 'project' in data ? data.project : undefined;
    return { type: data.type, ...(typeof project === 'string' && { project }) };
  }
  if (data.type !== 'written' || !('update' in data)) return undefined;
  const update = parseUpdate(data.update);
  return update && { type: 'written', update };
}

function parseUpdate(value: unknown): UpdateWithChecksum | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (!('update' in value) || !('sha256' in value)) return undefined;
  const { update, sha256 } = value;
  if (!(update instanceof Uint8Array) || typeof sha256 !== 'string') return undefined;
  return { update: Uint8Array.from(update), sha256 };
}
