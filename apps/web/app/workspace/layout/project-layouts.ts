import { isRecord } from '@vitrine/project';
import type { LayoutController } from './layout-controller.ts';
import {
  formatStoredTabs,
  parseStoredTabs,
  parseLayout,
  type StoredTabs,
} from './workspace-layout.ts';
import type { WorkspaceSession } from '../session.ts';
import type { WorkspaceIdentity } from '../sharing/identity.ts';
import type { OpenFiles } from '../tabs/open-files.ts';

/** Storage key of a user's layouts, one per project. Only the latest are stored. */
const storageKey = (userId: string | null) => `layouts-${userId?.slice(0, 8) ?? 'guest'}`;
const maxLayouts = 50;

interface Laid {
  readonly session: WorkspaceSession;
  readonly layout: LayoutController;
  readonly openFiles: OpenFiles;
}

/** Storage key of a project or draft. */
export function getLayoutKey({ id }: WorkspaceIdentity): string {
  return id.replaceAll('-', '').toLowerCase();
}

/** Restores the panels, sizes and tabs the user left in this project. */
export function restoreLayout({ session, layout: { current }, openFiles }: Laid): void {
  const key = getLayoutKey(session.identity.get());
  const stored = readStored(session.userId).find(([project]) => project === key)?.[1];
  if (!isRecord(stored)) return;
  current.set({ ...current.get(), ...parseLayout(stored) });
  const last = parseStoredTabs(stored.last);
  if (last) openFiles.restore(last);
}

/** Stores the current layout. Returns the open tabs, for the page that the server renders next. */
export function storeLayout({ session, layout: { current }, openFiles }: Laid): StoredTabs {
  const key = getLayoutKey(session.identity.get());
  const last = { project: key, sides: openFiles.groups.map((side) => side.get()) } as const;
  const { layout, panel, dock, sizes } = current.get();
  const others = readStored(session.userId).filter(([project]) => project !== key);
  const now = { layout, panel, dock, sizes, last: formatStoredTabs(last) };
  const stored = [...others, [key, now]].slice(-maxLayouts);
  try {
    localStorage.setItem(storageKey(session.userId), JSON.stringify(stored));
  } catch {
    // Without storage, or room in it, the layout lasts until the page is closed.
  }
  return last;
}

function readStored(userId: string | null): [string, unknown][] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey(userId)) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isEntry) : [];
  } catch {
    // The browser denies storage, or the value isn't ours.
    return [];
  }
}

function isEntry(entry: unknown): entry is [string, unknown] {
  return Array.isArray(entry) && entry.length === 2 && typeof entry[0] === 'string';
}
