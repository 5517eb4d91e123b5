import { Tooltip as Base } from '@base-ui/react/tooltip';
import type { ReactElement, ReactNode } from 'react';
import styles from './tooltip.module.css';

/** Wraps the app: a tooltip opens without delay if another was just shown. */
export function TooltipProvider({ children }: { children: ReactNode }) {
  return <Base.Provider delay={500}>{children}</Base.Provider>;
}

interface TooltipProps {
  text: string;
  keys?: string | undefined;
  side?: 'top' | 'bottom' | 'left' | 'right';
  /** An element that accepts a ref and props, with an accessible name of its own. */
  children: ReactElement<Record<string, unknown>>;
}

/** A tooltip on hover and keyboard focus; not shown on touch. */
export function Tooltip({ text, keys, side = 'bottom', children }: TooltipProps) {
  return (
    <Base.Root>
      <Base.Trigger render={children} />
      <Base.Portal>
        <Base.Positioner className={styles.positioner} side={side} sideOffset={6}>
          <Base.Popup className={styles.popup}>
            {text}
            {keys && <kbd className={styles.keys}>{keys}</kbd>}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
