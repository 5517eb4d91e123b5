import { Button as BaseButton } from '@base-ui/react/button';
import type { ComponentProps, ReactNode } from 'react';
import { Tooltip } from './tooltip.tsx';
import styles from './icon-button.module.css';

interface IconButtonProps extends Omit<ComponentProps<'button'>, 'children' | 'aria-label'> {
  /** The accessible name, and the tooltip. */
  label: string;
  /** Shown beside the name in the tooltip, e.g. `Ctrl S`. */
  keys?: string;
  size?: 'small' | 'regular';
  /** For a toggle: whether it is on. */
  pressed?: boolean;
  children: ReactNode;
}

/** A square button with an icon; its name is told to everyone. */
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
