import type { ReactNode } from 'react';
import type { Workspace } from '../workspace.ts';

/** Badge of a tab in the bottom panel. */
export interface Badge {
  /** Text, repeated in the description. */
  readonly count?: string | undefined;
  readonly description?: string | undefined;
  /** Color when nothing has failed. */
  readonly tone?: 'good' | 'warning';
}

/** Props of a component that renders its children with a badge. */
export interface BadgeProps {
  workspace: Workspace;
  children: (badge: Badge) => ReactNode;
}

/** (3, 'problem') → "3", described as "3 problems". No badge for 0. */
export function createBadge(count: number, noun: string): Badge {
  if (count === 0) return {};
  return {
    count: count > 99 ? '99+' : String(count),
    description: count === 1 ? `1 ${noun}` : `${count} ${noun}s`,
  };
}
