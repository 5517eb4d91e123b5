import { Button as BaseButton } from '@base-ui/react/button';
import type { ComponentProps, ReactNode } from 'react';
import { Tooltip } from './tooltip.tsx';
import styles from './icon-button.module.css';

interface IconButtonProps extends Omit<ComponentProps<'button'>, 'children' | 'aria-label'> {
  /** The accessible name and tooltip. */
  label: string;
  /** The keyboard shortcut in the tooltip, such as "Ctrl+S". */
  keys?: string;
  size?: 'small' | 'regular';
  /** Whether a toggle button is on. */
  pressed?: boolean;
  children: ReactNode;
}

/** A square button with an icon and a tooltip. */
export function IconButton({ label, keys, size, pressed, children, ...rest }: IconButtonProps) {
  return (
    <Tooltip text={label} keys={keys}>
      <BaseButton
        type="button"
        {...rest}
        aria-label={label}
        aria-pressed={pressed}
        className={`${styles.button} ${size === 'small' ? styles.small : ''} ${rest.className ?? ''}`}
      >
        {children}
      </BaseButton>
    </Tooltip>
  );
}
