import { flushSync } from 'react-dom';

/**
 * Renders something and moves the focus into it. The text of a field is selected, so that typing
 * replaces it.
 */
export function showAndFocus(show: () => void, selector: string): void {
  flushSync(show);
  const target = document.querySelector<HTMLElement>(selector);
  if (target instanceof HTMLInputElement) target.select();
  target?.focus();
}
