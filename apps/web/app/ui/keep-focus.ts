const focusable = 'button:not(:disabled), a[href], input, [tabindex="0"]';

/**
 * Returns a ref of an element whose controls come and go, such as a list of uploads. When the control
 * that has the focus is removed, the one that takes its place gets it, or else the last one.
 *
 * @param onEmpty Called instead if there is none left, or the element itself is removed.
 */
export function keepFocus(onEmpty?: () => void) {
  return (element: HTMLElement | null): (() => void) | undefined => {
    if (!element) return undefined;
    const listControls = () => [...element.querySelectorAll<HTMLElement>(focusable)];
    /** The control that has the focus, and its place among the others. */
    let focused: HTMLElement | undefined;
    let place = 0;
    const note = () => {
      const controls = listControls();
      const at = controls.findIndex((control) => control === document.activeElement);
      focused = controls[at];
      if (at >= 0) place = at;
    };
    const update = () => {
      if (!focused || focused.isConnected || document.activeElement !== document.body)
        return note();
      const controls = listControls();
      const next = controls[place] ?? controls.at(-1);
      if (next) next.focus();
      else onEmpty?.();
    };
    const observer = new MutationObserver(update);
    observer.observe(element, { childList: true, subtree: true });
    element.addEventListener('focusin', note);
    return () => {
      observer.disconnect();
      element.removeEventListener('focusin', note);
      const hasFocus = element.contains(document.activeElement);
      // After the element has been removed.
      if (hasFocus) queueMicrotask(() => document.activeElement === document.body && onEmpty?.());
    };
  };
}
