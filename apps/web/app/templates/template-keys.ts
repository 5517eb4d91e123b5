/**
 * Finds the template's button that an arrow key, Home or End leads to from the focused element.
 * Undefined for other keys and where there is none.
 */
export function findNeighbor(
  list: HTMLElement,
  from: EventTarget,
  key: string,
): HTMLElement | undefined {
  const buttons = [...list.querySelectorAll<HTMLElement>('[data-template-button]')];
  const index = buttons.findIndex((button) => button === from);
  const boxes = buttons.map(getCell);
  const box = boxes[index];
  if (key === 'Home' || (index < 0 && key === 'ArrowDown')) return buttons[0];
  if (key === 'End') return buttons.at(-1);
  if (!box) return undefined;
  if (key === 'ArrowRight') return buttons[index + 1];
  if (key === 'ArrowLeft') return buttons[index - 1];
  const step = key === 'ArrowDown' ? 1 : key === 'ArrowUp' ? -1 : 0;
  if (step === 0) return undefined;
  // The next row is at the nearest other height; in it, the nearest column counts.
  const beyond = boxes.filter((other) => (other.top - box.top) * step > 1);
  const row = Math.min(...beyond.map((other) => Math.abs(other.top - box.top)));
  const [nearest] = beyond
    .filter((other) => Math.abs(Math.abs(other.top - box.top) - row) <= 1)
    .sort((a, b) => Math.abs(a.left - box.left) - Math.abs(b.left - box.left));
  return nearest && buttons[boxes.indexOf(nearest)];
}

/** Box of the list item that a button is in: descriptions make buttons start at different heights. */
function getCell(button: HTMLElement): DOMRect {
  return (button.closest('li') ?? button).getBoundingClientRect();
}
