/** What types or changes text by itself: the code would take it. */
const written = /^(?:.|Enter|Backspace|Delete|Tab)$/u;

/**
 * Keeps what is typed until a dialog has the focus, and types it into the field there. To be called
 * while the key that opens the dialog is still handled; the answer ends it.
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
    // As if typed: the field's owner hears of it, and it can be undone.
    if (target instanceof HTMLInputElement && letters)
      document.execCommand('insertText', false, letters);
  };
  window.addEventListener('keydown', hold, options);
  window.addEventListener('focusin', give, options);
  return () => ending.abort();
}
