import { flushSync } from 'react-dom';

/** Puts something on the screen and the focus into it; a field’s text is selected, to be typed over. */
export function showAndFocus(show: () => void, selector: string): void {
  flushSync(show);
  const target = document.querySelector<HTMLElement>(selector);
  if (target instanceof HTMLInputElement) target.select();
  target?.focus();
}
