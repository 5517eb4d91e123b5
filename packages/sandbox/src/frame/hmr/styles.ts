import type { PositionMap } from '../positions.ts';

type StyleOutcome = 'done' | 'unused';

export type StyleReplacer = ReturnType<typeof createStyleReplacer>;

/**
 * Replaces the text of linked stylesheets without a request and without a moment in which none applies. The
 * `<link>` stays in the document with its sheet disabled, so that scripts and selectors still find it. If a script
 * changes the link, the replacement is removed.
 */
export function createStyleReplacer(positions: PositionMap, nameFiles: (css: string) => string) {
  /** Replacement `<style>` of a link, until the link changes or is removed. */
  const replacements = new WeakMap<HTMLLinkElement, HTMLStyleElement>();
  const ours = new WeakSet<Node>();

  const insertReplacement = (link: HTMLLinkElement): HTMLStyleElement => {
    const style = document.createElement('style');
    ours.add(style);
    replacements.set(link, style);
    link.after(style);
    removeOnChange(link, style, () => replacements.delete(link));
    return style;
  };

  const replace = (path: string, text: string): boolean => {
    const links = [...document.querySelectorAll('link')].filter(
      (link) => link.relList.contains('stylesheet') && positions.pathOf(link.href) === path,
    );
    for (const link of links) {
      const style = replacements.get(link) ?? insertReplacement(link);
      style.media = link.media;
      style.textContent = text;
      disableSheet(link);
    }
    return links.length > 0;
  };

  return {
    /** Replaces stylesheets. `parts` are imported by others of them and need not be linked. */
    apply(styles: readonly [path: string, text: string][], parts: readonly string[]): StyleOutcome {
      const unused = styles.filter(([path, text]) => !replace(path, nameFiles(text)));
      return unused.every(([path]) => parts.includes(path)) ? 'done' : 'unused';
    },
    own: (node: Node) => void ours.add(node),
    /** Whether we added a node to the document. */
    isOurs: (node: Node) => ours.has(node),
  };
}

/** Disables the sheet itself; `link.disabled` would be visible as an attribute. */
function disableSheet(link: HTMLLinkElement): void {
  if (link.sheet) link.sheet.disabled = true;
  else
    link.addEventListener('load', () => link.sheet && (link.sheet.disabled = true), { once: true });
}

function removeOnChange(link: HTMLLinkElement, style: HTMLStyleElement, onGone: () => void): void {
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
