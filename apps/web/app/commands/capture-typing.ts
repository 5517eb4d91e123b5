/** Keys that would type or delete text in the editor. */
const typingKeys = /^(?:.|Enter|Backspace|Delete|Tab)$/u;

/**
 * Buffers typed characters until a dialog gets the focus, then inserts them into its field, and
 * presses Enter there if it was pressed last. Must be called while the key that opens the dialog is
 * being handled. The returned function stops it.
 */
export function captureTyping(): () => void {
  const controller = new AbortController();
  const options = { capture: true, signal: controller.signal };
  let buffer = '';
  let isEntered = false;
  const bufferKey = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !typingKeys.test(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key.length === 1) buffer += event.key;
    isEntered = event.key === 'Enter';
  };
  const insertBuffer = ({ target }: FocusEvent) => {
    if (!(target instanceof Element && target.closest('[role=dialog]'))) return;
    controller.abort();
    // `insertText` fires input events and can be undone, unlike setting the value.
    if (!(target instanceof HTMLInputElement) || !buffer) return;
    document.execCommand('insertText', false, buffer);
    const enter = new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true });
    // Once the text's matches are listed.
    if (isEntered) requestAnimationFrame(() => target.dispatchEvent(enter));
  };
  window.addEventListener('keydown', bufferKey, options);
  window.addEventListener('focusin', insertBuffer, options);
  return () => controller.abort();
}
