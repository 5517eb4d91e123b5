import { Tooltip as Base } from '@base-ui/react/tooltip';
import type { ReactElement, ReactNode } from 'react';
import styles from './tooltip.module.css';

/** Around the app once: a second tooltip opens without waiting when one was just shown. */
export function TooltipProvider({ children }: { children: ReactNode }) {
  return <Base.Provider delay={500}>{children}</Base.Provider>;
}

interface TooltipProps {
  text: string;
  keys?: string | undefined;
  side?: 'top' | 'bottom' | 'left' | 'right';
  /** One element that takes a ref and props. It needs a name of its own: a tooltip is not one. */
  children: ReactElement<Record<string, unknown>>;
}

/** A few words about a control, for pointers and keyboards; touch does not see it. */
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
