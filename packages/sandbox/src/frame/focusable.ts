const focusable =
  'a[href], area[href], button, input, select, textarea, iframe, summary, [tabindex], [contenteditable]:not([contenteditable="false"])';

/** Whether `focus()` would focus the element. */
export function canBeFocused(element: Element): boolean {
  return (
    element.isConnected &&
    element.matches(focusable) &&
    !element.matches(':disabled, input[type="hidden"]') &&
    !element.closest('[inert]') &&
    element.checkVisibility({ visibilityProperty: true })
  );
}
