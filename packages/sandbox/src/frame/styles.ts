import type { Positions } from './positions.ts';

export type StyleOutcome = 'done' | 'unused';

export type Styles = ReturnType<typeof createStyles>;

/**
 * Puts the text of a stylesheet in place of what a `<link>` loaded, without a request and without a
 * moment in which neither applies. The link stays in the document, its own sheet switched off, so
 * that scripts and selectors find what they expect; when a script changes the link, it wins.
 */
export function createStyles(positions: Positions, nameFiles: (css: string) => string) {
  /** The element that stands in for a link's sheet, until the link changes or goes. */
  const standIns = new WeakMap<HTMLLinkElement, HTMLStyleElement>();
  const ours = new WeakSet<Node>();

  const standIn = (link: HTMLLinkElement): HTMLStyleElement => {
    const style = document.createElement('style');
    ours.add(style);
    standIns.set(link, style);
    link.after(style);
    giveWayOnChange(link, style, () => standIns.delete(link));
    return style;
  };

  const replace = (path: string, text: string): boolean => {
    const links = [...document.querySelectorAll('link')].filter(
      (link) => link.relList.contains('stylesheet') && positions.pathOf(link.href) === path,
    );
    for (const link of links) {
      const style = standIns.get(link) ?? standIn(link);
      style.media = link.media;
      style.textContent = text;
      switchOff(link);
    }
    return links.length > 0;
  };

  return {
    /** `parts` are those that others hold: they may be linked too, and need not. */
    apply(styles: readonly [path: string, text: string][], parts: readonly string[]): StyleOutcome {
      const unused = styles.filter(([path, text]) => !replace(path, nameFiles(text)));
      return unused.every(([path]) => parts.includes(path)) ? 'done' : 'unused';
    },
    own: (node: Node) => void ours.add(node),
    /** Nodes that we put into the document. */
    isOurs: (node: Node) => ours.has(node),
  };
}

/** By its sheet, not by `link.disabled`, which would be seen in the document. */
function switchOff(link: HTMLLinkElement): void {
  if (link.sheet) link.sheet.disabled = true;
  else
    link.addEventListener('load', () => link.sheet && (link.sheet.disabled = true), { once: true });
}

function giveWayOnChange(link: HTMLLinkElement, style: HTMLStyleElement, onGone: () => void): void {
  const observer = new MutationObserver((changes) => {
    const isChanged = changes.some(({ target }) => target === link);
    if (!isChanged && link.isConnected) return;
    observer.disconnect();
    style.remove();
    if (link.sheet) link.sheet.disabled = false;
    onGone();
  });
  observer.observe(link, { attributes: true });
  if (link.parentNode) observer.observe(link.parentNode, { childList: true });
}
