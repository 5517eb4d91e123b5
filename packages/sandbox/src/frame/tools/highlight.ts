/**
 * Draws a highlight over an element, above everything else and without changing the page's layout.
 *
 * @param markInternal Marks a node as not the page's, so that observers of the page ignore it.
 */
export function createHighlight(markInternal: (node: Node) => void) {
  let box: HTMLElement | undefined;
  let frame = 0;

  const clear = () => {
    cancelAnimationFrame(frame);
    box?.remove();
    box = undefined;
  };
  const trackPosition = (element: Element) => {
    if (!box || !element.isConnected) return clear();
    const { left, top, width, height } = element.getBoundingClientRect();
    box.style.translate = `${left}px ${top}px`;
    box.style.width = `${width}px`;
    box.style.height = `${height}px`;
    frame = requestAnimationFrame(() => trackPosition(element));
  };

  return {
    show(element: Element): void {
      clear();
      box = document.createElement('div');
      markInternal(box);
      box.setAttribute('aria-hidden', 'true');
      box.style.cssText = style;
      // In the top layer nothing of the page can cover the highlight.
      box.popover = 'manual';
      document.documentElement.append(box);
      box.showPopover();
      trackPosition(element);
    },
    clear,
    isHighlight: (node: Node) => node === box,
  };
}

/** Visible on light and dark pages. */
const style = `all: initial; display: block; position: fixed; left: 0; top: 0; z-index: 2147483647;
  pointer-events: none; box-sizing: border-box; border-radius: 2px;
  outline: 2px solid #0a6cff; outline-offset: 1px; box-shadow: 0 0 0 5px #ffffffb3;
  background: #0a6cff1f;`;
