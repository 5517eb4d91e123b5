import { Toast as Base } from '@base-ui/react/toast';
import { describeError, type ErrorCode } from '@vitrine/project';
import X from 'lucide-react/icons/x';
import { useRef, type FocusEvent, type ReactNode } from 'react';
import { Button } from './button.tsx';
import styles from './toast.module.css';

/** Told about from anywhere in the page; only ever used in the browser. */
const manager = Base.createToastManager<ToastData>();

interface ToastData {
  action?: { label: string; run: () => void } | undefined;
}

interface ToastOptions extends ToastData {
  title: string;
  description?: string;
  /** 5 s unless said; 0 stays until it is closed. One with an action stays 10 s. */
  timeoutMs?: number;
  /** The same id again replaces what it said. */
  id?: string;
}

/** Says what happened, at the page's corner, without taking focus. Returns its id. */
export function showToast({ title, description, timeoutMs, id, action }: ToastOptions): string {
  return manager.add({
    ...(id === undefined ? {} : { id }),
    title,
    description,
    timeout: timeoutMs ?? (action ? 10_000 : 5_000),
    data: { action },
  });
}

/** Says what went wrong, in the catalogue's words, and with what: "a.png, b.woff2". */
export function showErrorToast(code: ErrorCode, about?: string): string {
  const { sentence, action } = describeError(code);
  return manager.add({
    id: code,
    title: sentence,
    description: about === undefined ? action : `${about}: ${action}`,
    timeout: 8_000,
    priority: 'high',
  });
}

/** Takes back what `showToast` said. */
export function hideToast(id: string): void {
  manager.close(id);
}

/** Takes back what `showErrorToast` said, when it is no longer so. */
export function hideErrorToast(code: ErrorCode): void {
  manager.close(code);
}

/** Around the app once. */
export function ToastProvider({ children }: { children: ReactNode }) {
  return (
    <Base.Provider toastManager={manager} limit={3}>
      {children}
      <Base.Portal>
        <Base.Viewport className={styles.viewport}>
          <Toasts />
        </Base.Viewport>
      </Base.Portal>
    </Base.Provider>
  );
}

function Toasts() {
  const { toasts, close } = Base.useToastManager<ToastData>();
  /** Who had the focus before a notice. */
  const before = useRef<Element | null>(null);

  function keepFocused({ relatedTarget }: FocusEvent): void {
    const isOfNotice = relatedTarget?.closest(`.${styles.viewport}`) ?? null;
    if (!isOfNotice) before.current = relatedTarget;
  }

  function giveBack(): void {
    if (before.current instanceof HTMLElement) before.current.focus();
  }

  return toasts.map((toast) => (
    <Base.Root
      key={toast.id}
      toast={toast}
      className={styles.toast}
      swipeDirection={['right', 'down']}
      onFocus={keepFocused}
    >
      <Base.Content className={styles.content}>
        <div className={styles.words}>
          <Base.Title className={styles.title} />
          <Base.Description className={styles.description} />
        </div>
        {toast.data?.action && (
          <Button
            size="small"
            onClick={() => {
              toast.data?.action?.run();
              close(toast.id);
              giveBack();
            }}
          >
            {toast.data.action.label}
          </Button>
        )}
        <Base.Close className={styles.close} aria-label="Dismiss" onClick={giveBack}>
          <X aria-hidden />
        </Base.Close>
      </Base.Content>
    </Base.Root>
  ));
}
