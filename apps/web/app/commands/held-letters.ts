/** Keys that would type or delete text in the editor. */
const written = /^(?:.|Enter|Backspace|Delete|Tab)$/u;

/**
 * Buffers typed characters until a dialog gets the focus, then inserts them into its field. Must be
 * called while the key that opens the dialog is being handled. The returned function stops it.
 */
export function holdLetters(): () => void {
  const ending = new AbortController();
  const options = { capture: true, signal: ending.signal };
  let letters = '';
  const hold = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !written.test(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key.length === 1) letters += event.key;
  };
  const give = ({ target }: FocusEvent) => {
    if (!(target instanceof Element && target.closest('[role=dialog]'))) return;
    ending.abort();
    // `insertText` fires input events and can be undone, unlike setting the value.
    if (target instanceof HTMLInputElement && letters)
      document.execCommand('insertText', false, letters);
  };
  window.addEventListener('keydown', hold, options);
  window.addEventListener('focusin', give, options);
  return () => ending.abort();
}
