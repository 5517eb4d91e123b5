/** Keys that open the command palette, in a workspace and on other pages. */
export const paletteKeys: readonly string[] = ['Mod-k', 'F1', 'Mod-Shift-p'];

/** Returns false for a key that a dialog, a field or another element on the page handles. */
export function isPageShortcut(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.isComposing || isInDialog(event.target)) return false;
  return !(isTyped(event) && isField(event.target));
}

/** True for a printable character without modifiers, which a field would insert. */
function isTyped({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return key.length === 1 && !ctrlKey && !metaKey && !altKey;
}

function isField(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches('input, textarea, select'))
  );
}

/** True for an element of an open dialog. */
export function isInDialog(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('[role=dialog]:not([data-closed])') !== null;
}
