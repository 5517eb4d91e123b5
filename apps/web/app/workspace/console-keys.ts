import type { KeyboardEvent } from 'react';

/*
 * Keys of the console's tree. Its items are found in the document, in the order in which they are
 * seen: an item says with `data-toggle` what opens and closes it, and with `data-act` what Enter does.
 */

export function moveInTree(event: KeyboardEvent<HTMLElement>): void {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  const tree = event.currentTarget;
  const { target } = event;
  if (!(target instanceof HTMLElement)) return;
  const isAddress = target instanceof HTMLAnchorElement;
  // A field or button in an item has keys of its own, and an address all but the arrows.
  if (target !== tree && target.role !== 'treeitem' && !isAddress) return;
  const item =
    target === tree ? undefined : (target.closest<HTMLElement>('[role=treeitem]') ?? undefined);
  const isDone =
    isAddress && item ? leaveAddress(event.key, target, item, tree) : act(event.key, item, tree);
  if (isDone) event.preventDefault();
}

function act(key: string, item: HTMLElement | undefined, tree: HTMLElement): boolean {
  switch (key) {
    case 'ArrowDown':
      return focus(neighbour(tree, item, 1));
    case 'ArrowUp':
      return focus(neighbour(tree, item, -1));
    case 'Home':
      return focus(itemsOf(tree).at(0));
    case 'End':
      return focus(itemsOf(tree).at(-1));
    case 'ArrowRight':
      return item !== undefined && openOrEnter(item);
    case 'ArrowLeft':
      return item !== undefined && closeOrLeave(item);
    case 'Enter':
      return item !== undefined && (press(item, '[data-act]') || press(item, '[data-toggle]'));
    case ' ':
      return item !== undefined && (press(item, '[data-toggle]') || press(item, '[data-act]'));
    default:
      return false;
  }
}

function leaveAddress(
  key: string,
  address: HTMLElement,
  item: HTMLElement,
  tree: HTMLElement,
): boolean {
  switch (key) {
    case 'ArrowRight':
      return focus(addressesOf(item)[addressesOf(item).indexOf(address) + 1]);
    case 'ArrowLeft':
      return focus(item);
    case 'Enter':
    case ' ':
      return false;
    default:
      return act(key, item, tree);
  }
}

/** Those in what the item itself says. */
function addressesOf(item: HTMLElement): HTMLElement[] {
  return [...item.querySelectorAll('a')].filter((each) => each.closest('[role=treeitem]') === item);
}

function itemsOf(tree: HTMLElement): HTMLElement[] {
  return [...tree.querySelectorAll<HTMLElement>('[role=treeitem]')];
}

/** Of the tree itself: its newest item upwards, its oldest downwards. */
function neighbour(
  tree: HTMLElement,
  item: HTMLElement | undefined,
  step: 1 | -1,
): HTMLElement | undefined {
  const items = itemsOf(tree);
  if (!item) return items.at(step === 1 ? 0 : -1);
  return items[items.indexOf(item) + step];
}

function openOrEnter(item: HTMLElement): boolean {
  if (item.ariaExpanded === 'false') return press(item, '[data-toggle]');
  return focus(item.querySelector<HTMLElement>('[role=treeitem]') ?? addressesOf(item)[0]);
}

function closeOrLeave(item: HTMLElement): boolean {
  if (item.ariaExpanded === 'true') return press(item, '[data-toggle]');
  return focus(item.parentElement?.closest<HTMLElement>('[role=treeitem]') ?? undefined);
}

function focus(item: HTMLElement | undefined): boolean {
  item?.focus();
  return item !== undefined;
}

/** What the item itself has, not what is in one of its items. */
function press(item: HTMLElement, selector: string): boolean {
  const found = [...item.querySelectorAll<HTMLElement>(selector)].find(
    (element) => element.closest('[role=treeitem]') === item,
  );
  found?.click();
  return found !== undefined;
}
