import { Dialog as Base } from '@base-ui/react/dialog';
import X from 'lucide-react/icons/x';
import type { ReactNode } from 'react';
import styles from './dialog.module.css';

interface DialogProps {
  open: boolean;
  onClose: () => void;
  title: string;
  /**
   * Hides the title visually, as in the command palette; it is still the accessible name. A bare
   * dialog unmounts without a transition, so that reopening it resets its state and focus.
   */
  bare?: boolean;
  description?: ReactNode;
  /** `full` fills the window. */
  width?: 'narrow' | 'regular' | 'wide' | 'full';
  children: ReactNode;
}

/** A modal dialog. Escape, the close button and a press outside close it and restore the focus. */
export function Dialog(props: DialogProps) {
  const { open, onClose, title, bare, description, width = 'regular', children } = props;
  if (bare && !open) return null;
  return (
    <Base.Root open={open} onOpenChange={(next) => next || onClose()}>
      <Base.Portal>
        <Base.Backdrop className={styles.backdrop} />
        <Base.Viewport className={styles.viewport}>
          <Base.Popup
            className={`${styles.popup} ${styles[width] ?? ''} ${bare ? styles.bare : ''}`}
          >
            <Base.Title className={bare ? styles.visuallyHidden : styles.title}>{title}</Base.Title>
            {description && (
              <Base.Description className={styles.description}>{description}</Base.Description>
            )}
            <div className={bare ? undefined : styles.body}>{children}</div>
            {!bare && (
              <Base.Close className={styles.close} aria-label="Close">
                <X aria-hidden />
              </Base.Close>
            )}
          </Base.Popup>
        </Base.Viewport>
      </Base.Portal>
    </Base.Root>
  );
}

/** The buttons at the end of a dialog, the main one last. */
export function DialogActions({ children }: { children: ReactNode }) {
  return <div className={styles.actions}>{children}</div>;
}
