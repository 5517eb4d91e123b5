import type { ErrorCode } from '@vitrine/project';
import { formatStorageUsage, type StorageUsage } from '../assets/storage-usage.ts';
import { closeToast, showErrorToast, showToast } from '../ui/toast.tsx';

/** How the models of a workspace report outcomes that no component waits for. */
export interface Notices {
  /** An action failed. `subject` is what the error is about: "a.png, b.woff2". */
  readonly failed: (code: ErrorCode, subject?: string) => void;
  /** An action is done and can be undone. Returns a function that withdraws the notice. */
  readonly done: (title: string, undo: () => void) => () => void;
  /** The user's storage is nearly used up. */
  readonly storageNearlyFull: (usage: StorageUsage) => void;
}

/** Shows notices as toasts. */
export const toastNotices: Notices = {
  failed: showErrorToast,
  done(title, undo) {
    const id = showToast({ title, action: { label: 'Undo', run: undo } });
    return () => closeToast(id);
  },
  storageNearlyFull(usage) {
    showToast({
      id: 'storage',
      title: 'Your storage is almost full',
      description: `You’re using ${formatStorageUsage(usage)}. Delete projects you don’t need to free up space.`,
      timeoutMs: 8_000,
    });
  },
};
