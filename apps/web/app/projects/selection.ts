import { useRef, useState, type KeyboardEvent } from 'react';

/** The selected items of a list. */
export interface Selection {
  /** Selected ids, in the list's order. Ids that have left the list aren't in it. */
  readonly ids: readonly string[];
  has(id: string): boolean;
  /** Selects or deselects an item; with `isRange`, all from the last toggled item to this one. */
  toggle(id: string, isRange: boolean): void;
  clear(): void;
  /** For the element around the list: Escape clears the selection. */
  onKeyDown(event: KeyboardEvent): void;
}

/** Holds which items of a list are selected. */
export function useSelection(list: readonly string[]): Selection {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  /** The item that was toggled last, where a range starts. */
  const anchor = useRef<string | null>(null);

  function toggle(id: string, isRange: boolean): void {
    const start = isRange && anchor.current !== null ? list.indexOf(anchor.current) : -1;
    const end = list.indexOf(id);
    const range = start < 0 ? [id] : list.slice(Math.min(start, end), Math.max(start, end) + 1);
    const isOn = !selected.has(id);
    const next = new Set(selected);
    for (const item of range) {
      if (isOn) next.add(item);
      else next.delete(item);
    }
    anchor.current = id;
    setSelected(next);
  }

  return {
    ids: list.filter((id) => selected.has(id)),
    has: (id) => selected.has(id),
    toggle,
    clear: () => setSelected(new Set()),
    onKeyDown({ key, target, currentTarget }) {
      // Not in a dialog or menu, whose events React passes on from where it's rendered.
      const isInList = target instanceof Node && currentTarget.contains(target);
      if (key === 'Escape' && isInList) setSelected(new Set());
    },
  };
}
