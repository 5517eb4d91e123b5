import { isRecord } from '@vitrine/project';
import { formatSize } from '../ui/format-size.ts';

/** Storage that a user has and uses, in bytes. */
export interface StorageUsage {
  readonly used: number;
  readonly quota: number;
}

/** Share of the quota from which the user is warned. */
export const nearlyFull = 0.9;

/** Parses the result of the database function `storage_usage`. Undefined if it isn't valid. */
export function parseStorageUsage(value: unknown): StorageUsage | undefined {
  if (!isRecord(value)) return undefined;
  const { used, quota } = value;
  return typeof used === 'number' && typeof quota === 'number' ? { used, quota } : undefined;
}

/** Whether little is left. */
export function isNearlyFull({ used, quota }: StorageUsage): boolean {
  return used > quota * nearlyFull;
}

/** "340 MB of 1 GB" */
export function formatStorageUsage({ used, quota }: StorageUsage): string {
  return `${formatSize(used)} of ${formatSize(quota)}`;
}
