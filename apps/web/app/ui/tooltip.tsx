import { Tooltip as Base } from '@base-ui/react/tooltip';
import { useEffect, useEffectEvent, useRef, type ReactElement, type ReactNode } from 'react';
import styles from './tooltip.module.css';

/** The last key press or pointer press: whether it is a key that moves the focus. */
let isMovingFocus = false;

/** Wraps the app: a tooltip opens without delay if another was just shown. */
export function TooltipProvider({ children }: { children: ReactNode }) {
  useEffect(() => {
    const controller = new AbortController();
    const options = { capture: true, signal: controller.signal };
    const noteKey = ({ key }: KeyboardEvent) =>
      void (isMovingFocus = /^(?:Tab|Arrow.*|Home|End|F6)$/.test(key));
    document.addEventListener('keydown', noteKey, options);
    document.addEventListener('pointerdown', () => void (isMovingFocus = false), options);
    return () => controller.abort();
  }, []);
  return <Base.Provider delay={500}>{children}</Base.Provider>;
}

interface TooltipProps {
  text: string;
  keys?: string | undefined;
  side?: 'top' | 'bottom' | 'left' | 'right';
  /** An element that accepts a ref and props, with an accessible name of its own. */
  children: ReactElement<Record<string, unknown>>;
}

/** How a tooltip was opened. */
interface Opening {
  readonly trigger: Element | undefined;
  readonly isHover: boolean;
}

/**
 * A tooltip on hover and keyboard focus; not shown on touch, nor when a menu or dialog gives the
 * focus back. Lets clicks through.
 */
export function Tooltip({ text, keys, side = 'bottom', children }: TooltipProps) {
  const actions = useRef<Base.Root.Actions>(null);
  const opening = useRef<Opening>({ trigger: undefined, isHover: false });
  const handleChange = (isOpen: boolean, details: Base.Root.ChangeEventDetails) => {
    if (!isOpen) return;
    if (details.reason === 'trigger-focus' && !isMovingFocus) return details.cancel();
    opening.current = { trigger: details.trigger, isHover: details.reason === 'trigger-hover' };
  };
  return (
    <Base.Root actionsRef={actions} disableHoverablePopup onOpenChange={handleChange}>
      <Base.Trigger render={children} />
      <Base.Portal>
        <Base.Positioner className={styles.positioner} side={side} sideOffset={6}>
          <Base.Popup className={styles.popup}>
            <LeaveListener opening={opening} onLeave={() => actions.current?.close()} />
            {text}
            {keys && <kbd className={styles.keys}>{keys}</kbd>}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

const overlays = '[role=dialog], [role=alertdialog], [role=menu], [role=listbox]';

/**
 * Detects, while a tooltip is open, what its trigger has no event for: it was hidden or covered, or
 * disabled under the pointer, or a menu or dialog has opened.
 */
function LeaveListener(props: { opening: { readonly current: Opening }; onLeave: () => void }) {
  const leave = useEffectEvent(() => props.onLeave());
  const { opening } = props;
  useEffect(() => {
    const { trigger, isHover } = opening.current;
    if (!trigger) return;
    const controller = new AbortController();
    const options = { capture: true, signal: controller.signal };
    const observer = new IntersectionObserver((entries) => {
      if (!entries.at(-1)?.isIntersecting) leave();
    });
    observer.observe(trigger);
    controller.signal.addEventListener('abort', () => observer.disconnect());
    const leaveUnless = (isInside: boolean) => {
      if (!isInside) leave();
    };
    document.addEventListener(
      'pointermove',
      ({ target }) => leaveUnless(!isHover || (target instanceof Node && trigger.contains(target))),
      options,
    );
    document.addEventListener(
      'focusin',
      ({ target }) => {
        const overlay = target instanceof Element ? target.closest(overlays) : null;
        leaveUnless(overlay === null || overlay.contains(trigger));
      },
      options,
    );
    document.addEventListener('keydown', ({ key }) => leaveUnless(key !== 'Escape'), options);
    return () => controller.abort();
  }, [opening]);
  return null;
}
