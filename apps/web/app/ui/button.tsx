import { Button as BaseButton } from '@base-ui/react/button';
import { useState, type ComponentProps, type ReactNode } from 'react';
import { Link } from 'react-router';
import styles from './button.module.css';

interface Appearance {
  /** At most one `primary` button per screen; `quiet` has no border until hovered. */
  variant?: 'primary' | 'secondary' | 'quiet' | 'danger';
  /** `small` is for bars and panels of the workspace. */
  size?: 'small' | 'regular';
  icon?: ReactNode;
  children: ReactNode;
}

type ButtonProps = Appearance &
  Omit<ComponentProps<'button'>, 'children'> & {
    /** Ignores presses, but keeps focus and width, while an operation is running. */
    busy?: boolean;
  };

/** A button with a label. Its `type` defaults to "button". */
export function Button({ variant, size, icon, busy = false, children, ...rest }: ButtonProps) {
  return (
    <BaseButton
      type="button"
      {...rest}
      disabled={busy || rest.disabled}
      focusableWhenDisabled={busy}
      aria-busy={busy || undefined}
      className={classNames(variant, size, rest.className)}
    >
      {icon}
      <span className={styles.label}>{children}</span>
    </BaseButton>
  );
}

type ActionButtonProps = Omit<ButtonProps, 'busy' | 'onClick'> & {
  onPress: () => Promise<unknown>;
};

/** A button that is busy while its operation runs, so that a second press starts no other. */
export function ActionButton({ onPress, ...rest }: ActionButtonProps) {
  const [isBusy, setBusy] = useState(false);

  async function run(): Promise<void> {
    setBusy(true);
    await onPress().finally(() => setBusy(false));
  }

  return <Button {...rest} busy={isBusy} onClick={() => void run()} />;
}

/** A link that looks like a button, for navigation. */
export function ButtonLink({
  variant,
  size,
  icon,
  children,
  ...rest
}: Appearance & Omit<ComponentProps<typeof Link>, 'children'>) {
  return (
    <Link {...rest} className={classNames(variant, size, rest.className)}>
      {icon}
      <span className={styles.label}>{children}</span>
    </Link>
  );
}

function classNames(variant = 'secondary', size = 'regular', className = ''): string {
  return `${styles.button} ${styles[variant] ?? ''} ${styles[size] ?? ''} ${className}`;
}
