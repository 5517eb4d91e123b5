import { useEffect, useRef, type RefObject } from 'react';

/** Where the focus is in a list, or was until its row was removed. */
interface FocusedRow {
  readonly row: Element;
  readonly list: Element;
  readonly index: number;
  /** Index of the focused control among those of its row. */
  readonly control: number;
}

const controlSelector = 'a[href], button:not(:disabled), input:not(:disabled), select, textarea';
const popupSelector = '[role="dialog"], [role="alertdialog"], [role="menu"]';

/**
 * Keeps the focus in lists whose rows are removed: it moves to the same control of the next row, else
 * to that of the previous one, else to the heading. Actions in a row's menu and dialogs count as in
 * the row: the focus moves once those have closed.
 *
 * @returns ref of the element around the lists and their heading, which stays when a list is empty
 */
export function useRowFocus<Container extends HTMLElement>(): RefObject<Container | null> {
  const ref = useRef<Container>(null);
  useEffect(() => (ref.current ? keepRowFocus(ref.current) : undefined), []);
  return ref;
}

function keepRowFocus(container: HTMLElement): () => void {
  /** Undefined while the focus is elsewhere. A control outside the lists is a row of its own. */
  let last: FocusedRow | undefined;
  let frame = 0;

  function remember({ target }: FocusEvent): void {
    if (!(target instanceof Element) || isInPopup(target, container)) return;
    // A closing popup moves the focus somewhere if the control that opened it is gone.
    if (last && !last.row.isConnected) return;
    last = container.contains(target) ? findRow(target) : undefined;
  }

  function place(): void {
    if (!last || last.row.isConnected || isInPopup(document.activeElement, container)) return;
    const { list, index, control } = last;
    last = undefined;
    const rows = list.isConnected ? [...list.children] : [];
    const nearest = [...rows.slice(index), ...rows.slice(0, index).toReversed()];
    const controls = nearest.map(listControls).find((found) => found.length > 0);
    focus(controls?.[control] ?? controls?.[0] ?? findHeading(container));
  }

  // Of the whole page, where popups are added and removed.
  const observer = new MutationObserver(() => {
    if (!last || last.row.isConnected || isInPopup(document.activeElement, container)) return;
    cancelAnimationFrame(frame);
    // Two frames later: a popup that closes, or a dialog around the list, moves the focus before.
    frame = requestAnimationFrame(() => (frame = requestAnimationFrame(place)));
  });
  document.addEventListener('focusin', remember);
  observer.observe(document.body, { childList: true, subtree: true });
  return () => {
    document.removeEventListener('focusin', remember);
    observer.disconnect();
    cancelAnimationFrame(frame);
  };
}

/** Whether an element is in a popup above the container, which may be in a dialog itself. */
function isInPopup(element: Element | null, container: Element): boolean {
  const popup = element?.closest(popupSelector);
  return popup !== undefined && popup !== null && !popup.contains(container);
}

function findRow(target: Element): FocusedRow {
  const row = target.closest('li') ?? target;
  const list = row.parentElement ?? row;
  const isControl = row === target;
  return {
    row,
    // What's left around a control that was removed with its toolbar isn't a list.
    list: isControl ? row : list,
    index: [...list.children].indexOf(row),
    control: listControls(row).findIndex((control) => control === target),
  };
}

function listControls(row: Element): HTMLElement[] {
  return [...row.querySelectorAll<HTMLElement>(controlSelector)];
}

/** The container's heading, else its first control. */
function findHeading(container: HTMLElement): HTMLElement | undefined {
  const heading = container.querySelector<HTMLElement>('h1, h2, h3, h4');
  if (heading) heading.tabIndex = -1;
  return heading ?? listControls(container)[0];
}

function focus(element: HTMLElement | undefined): void {
  element?.focus({ preventScroll: element.matches('h1, h2, h3, h4') });
}
