import { Button as BaseButton } from '@base-ui/react/button';
import type { ComponentProps, ReactNode } from 'react';
import { Link } from 'react-router';
import styles from './button.module.css';

interface Look {
  /** `primary` once a screen at most; `quiet` has no edge until it is pointed at. */
  variant?: 'primary' | 'secondary' | 'quiet' | 'danger';
  /** `small` is for bars and panels of the workspace. */
  size?: 'small' | 'regular';
  icon?: ReactNode;
  children: ReactNode;
}

type ButtonProps = Look &
  Omit<ComponentProps<'button'>, 'children'> & {
    /** Keeps focus and width while an answer is on its way; presses do nothing meanwhile. */
    busy?: boolean;
  };

/** A button that says what it does. It is `type="button"` unless told otherwise. */
export function Button({ variant, size, icon, busy = false, children, ...rest }: ButtonProps) {
  return (
    <BaseButton
      type="button"
      {...rest}
      disabled={busy || rest.disabled}
      focusableWhenDisabled={busy}
      aria-busy={busy || undefined}
      className={look(variant, size, rest.className)}
    >
      {icon}
      <span className={styles.label}>{children}</span>
    </BaseButton>
  );
}

/** A link that looks like a button, for what leads elsewhere. */
export function ButtonLink({
  variant,
  size,
  icon,
  children,
  ...rest
}: Look & Omit<ComponentProps<typeof Link>, 'children'>) {
  return (
    <Link {...rest} className={look(variant, size, rest.className)}>
      {icon}
      <span className={styles.label}>{children}</span>
    </Link>
  );
}

function look(variant = 'secondary', size = 'regular', className = ''): string {
  return `${styles.button} ${styles[variant] ?? ''} ${styles[size] ?? ''} ${className}`;
}
