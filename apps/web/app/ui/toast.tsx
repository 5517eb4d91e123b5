import { Toast as Base } from '@base-ui/react/toast';
import { describeError, type ErrorCode } from '@vitrine/project';
import X from 'lucide-react/icons/x';
import { useRef, type FocusEvent, type ReactNode } from 'react';
import { Button } from './button.tsx';
import styles from './toast.module.css';

/** Adds toasts from anywhere in the page. Used only in the browser. */
const manager = Base.createToastManager<ToastData>();

interface ToastData {
  action?: { label: string; run: () => void } | undefined;
}

interface ToastOptions extends ToastData {
  title: string;
  description?: string;
  /** 5 s by default, 10 s with an action; 0 keeps the toast until it is dismissed. */
  timeoutMs?: number;
  /** Replaces a toast with the same id. */
  id?: string;
}

/** Shows a toast in the corner of the page without moving the focus. Returns its id. */
export function showToast({ title, description, timeoutMs, id, action }: ToastOptions): string {
  return manager.add({
    ...(id === undefined ? {} : { id }),
    title,
    description,
    timeout: timeoutMs ?? (action ? 10_000 : 5_000),
    data: { action },
  });
}

/**
 * Shows an error message from the catalog.
 * @param subject what the error is about: "a.png, b.woff2"
 */
export function showErrorToast(code: ErrorCode, subject?: string): string {
  const { message, action } = describeError(code);
  return manager.add({
    id: code,
    title: subject === undefined ? message : `${subject}: ${message}`,
    description: action,
    timeout: 8_000,
    priority: 'high',
  });
}

/** Closes a toast of `showToast`. */
export function closeToast(id: string): void {
  manager.close(id);
}

/** Closes the toast of `showErrorToast` once the error is resolved. */
export function closeErrorToast(code: ErrorCode): void {
  manager.close(code);
}

/** Elements that toasts are shown above. */
const obstacles = new Set<HTMLElement>();

/** Ref of an element at the bottom of the page whose buttons toasts would cover. */
export function keepToastsAbove(element: HTMLElement | null): (() => void) | undefined {
  if (!element) return undefined;
  const observer = new ResizeObserver(updateInset);
  obstacles.add(element);
  observer.observe(element);
  return () => {
    observer.disconnect();
    obstacles.delete(element);
    updateInset();
  };
}

function updateInset(): void {
  const boxes = [...obstacles].map((element) => element.getBoundingClientRect());
  // The height is 0 when an element is hidden, as the panel is below the editor on a phone.
  const heights = boxes.map(({ top, height }) => (height > 0 ? innerHeight - top : 0));
  document.documentElement.style.setProperty('--toast-inset', `${Math.max(0, ...heights)}px`);
}

/** Wraps the app. */
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
  /** The element that had the focus before a toast. */
  const lastFocused = useRef<Element | null>(null);

  function rememberFocus({ relatedTarget }: FocusEvent): void {
    const toastViewport = relatedTarget?.closest(`.${styles.viewport}`) ?? null;
    if (!toastViewport) lastFocused.current = relatedTarget;
  }

  function restoreFocus(): void {
    if (lastFocused.current instanceof HTMLElement) lastFocused.current.focus();
  }

  return toasts.map((toast) => (
    <Base.Root
      key={toast.id}
      toast={toast}
      className={styles.toast}
      swipeDirection={['right', 'down']}
      onFocus={rememberFocus}
    >
      <Base.Content className={styles.content}>
        <div className={styles.text}>
          <Base.Title className={styles.title} />
          <Base.Description className={styles.description} />
        </div>
        {toast.data?.action && (
          <Button
            size="small"
            onClick={() => {
              toast.data?.action?.run();
              close(toast.id);
              restoreFocus();
            }}
          >
            {toast.data.action.label}
          </Button>
        )}
        <Base.Close className={styles.close} aria-label="Dismiss" onClick={restoreFocus}>
          <X aria-hidden />
        </Base.Close>
      </Base.Content>
    </Base.Root>
  ));
}
