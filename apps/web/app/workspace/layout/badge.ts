import type { ReactNode } from 'react';

/** Badge of a tab in the bottom panel. */
export interface Badge {
  /** Text, repeated in the description. */
  readonly count?: string | undefined;
  readonly description?: string | undefined;
  /** Color when nothing has failed. */
  readonly tone?: 'good' | 'warning';
}

/** Renders a tab with its badge. */
export type RenderTab = (badge: Badge) => ReactNode;

/** (3, 'problem') → "3", described as "3 problems". No badge for 0. */
export function createBadge(count: number, noun: string): Badge {
  if (count === 0) return {};
  return {
    count: count > 99 ? '99+' : String(count),
    description: count === 1 ? `1 ${noun}` : `${count} ${noun}s`,
  };
}
