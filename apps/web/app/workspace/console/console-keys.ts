import type { KeyboardEvent } from 'react';

/*
 * Keyboard navigation in the console tree. Items are looked up in the document in visual order. In
 * an item, `data-toggle` marks the element that expands it, and `data-act` the one that Enter
 * activates.
 */

export function handleConsoleTreeKey(event: KeyboardEvent<HTMLElement>): void {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  const tree = event.currentTarget;
  const { target } = event;
  if (!(target instanceof HTMLElement)) return;
  const isLink = target instanceof HTMLAnchorElement;
  // A field or button in an item handles its own keys. A link handles all but the arrow keys.
  if (target !== tree && target.role !== 'treeitem' && !isLink) return;
  const item =
    target === tree ? undefined : (target.closest<HTMLElement>('[role=treeitem]') ?? undefined);
  const isHandled =
    isLink && item
      ? handleLinkKey(event.key, target, item, tree)
      : handleKey(event.key, item, tree);
  if (isHandled) event.preventDefault();
}

function handleKey(key: string, item: HTMLElement | undefined, tree: HTMLElement): boolean {
  switch (key) {
    case 'ArrowDown':
      return focus(neighbor(tree, item, 1));
    case 'ArrowUp':
      return focus(neighbor(tree, item, -1));
    case 'Home':
      return focus(itemsOf(tree).at(0));
    case 'End':
      return focus(itemsOf(tree).at(-1));
    case 'ArrowRight':
      return item !== undefined && expandOrEnter(item);
    case 'ArrowLeft':
      return item !== undefined && collapseOrLeave(item);
    case 'Enter':
      return item !== undefined && (click(item, '[data-act]') || click(item, '[data-toggle]'));
    case ' ':
      return item !== undefined && (click(item, '[data-toggle]') || click(item, '[data-act]'));
    default:
      return false;
  }
}

function handleLinkKey(
  key: string,
  link: HTMLElement,
  item: HTMLElement,
  tree: HTMLElement,
): boolean {
  switch (key) {
    case 'ArrowRight':
      return focus(linksOf(item)[linksOf(item).indexOf(link) + 1]);
    case 'ArrowLeft':
      return focus(item);
    case 'Enter':
    case ' ':
      return false;
    default:
      return handleKey(key, item, tree);
  }
}

/** Links of the item itself, without those of nested items. */
function linksOf(item: HTMLElement): HTMLElement[] {
  return [...item.querySelectorAll('a')].filter((each) => each.closest('[role=treeitem]') === item);
}

function itemsOf(tree: HTMLElement): HTMLElement[] {
  return [...tree.querySelectorAll<HTMLElement>('[role=treeitem]')];
}

/** Next item in a direction. From the tree itself: the last item upwards, the first downwards. */
function neighbor(
  tree: HTMLElement,
  item: HTMLElement | undefined,
  step: 1 | -1,
): HTMLElement | undefined {
  const items = itemsOf(tree);
  if (!item) return items.at(step === 1 ? 0 : -1);
  return items[items.indexOf(item) + step];
}

function expandOrEnter(item: HTMLElement): boolean {
  if (item.ariaExpanded === 'false') return click(item, '[data-toggle]');
  return focus(item.querySelector<HTMLElement>('[role=treeitem]') ?? linksOf(item)[0]);
}

function collapseOrLeave(item: HTMLElement): boolean {
  if (item.ariaExpanded === 'true') return click(item, '[data-toggle]');
  return focus(item.parentElement?.closest<HTMLElement>('[role=treeitem]') ?? undefined);
}

function focus(item: HTMLElement | undefined): boolean {
  item?.focus();
  return item !== undefined;
}

/** Clicks an element of the item itself, not one of a nested item. */
function click(item: HTMLElement, selector: string): boolean {
  const found = [...item.querySelectorAll<HTMLElement>(selector)].find(
    (element) => element.closest('[role=treeitem]') === item,
  );
  found?.click();
  return found !== undefined;
}
