/** Keys that would type or delete text in the editor. */
const typingKeys = /^(?:.|Enter|Backspace|Delete|Tab)$/u;

/**
 * Buffers typed characters until a dialog gets the focus, then inserts them into its field. Must be
 * called while the key that opens the dialog is being handled. The returned function stops it.
 */
export function captureTyping(): () => void {
  const controller = new AbortController();
  const options = { capture: true, signal: controller.signal };
  let buffer = '';
  const bufferKey = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !typingKeys.test(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key.length === 1) buffer += event.key;
  };
  const insertBuffer = ({ target }: FocusEvent) => {
    if (!(target instanceof Element && target.closest('[role=dialog]'))) return;
    controller.abort();
    // `insertText` fires input events and can be undone, unlike setting the value.
    if (target instanceof HTMLInputElement && buffer)
      document.execCommand('insertText', false, buffer);
  };
  window.addEventListener('keydown', bufferKey, options);
  window.addEventListener('focusin', insertBuffer, options);
  return () => controller.abort();
}
