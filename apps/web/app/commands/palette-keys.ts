/** What opens the palette, in a workspace and on the other pages. */
export const paletteKeys: readonly string[] = ['Mod-k', 'F1', 'Mod-Shift-p'];

/** False for a press that a dialog, a field or something else in the page takes. */
export function isForPage(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.isComposing || isInDialog(event.target)) return false;
  return !(isTyped(event) && isField(event.target));
}

/** A sign by itself, which fields take. */
function isTyped({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return key.length === 1 && !ctrlKey && !metaKey && !altKey;
}

function isField(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches('input, textarea, select'))
  );
}

function isInDialog(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('[role=dialog]:not([data-closed])') !== null;
}
