/**
 * The page's own scripts, held until the result that begins with it has loaded: they are ten times
 * what that needs, and would be fetched, parsed and run in its way. The server marks them as no
 * scripts; a few lines in the page make them scripts again.
 */

/** A page with its scripts, and what is fetched ahead for them, marked. What people write has no `<` in it. */
export function markHeld(html: string): string {
  return html
    .replaceAll('<link rel="modulepreload"', '<link rel="held"')
    .replaceAll(/(<script [^>]*)type="module"/g, '$1type="held"');
}

declare global {
  interface Window {
    /** For the page's own scripts: the button that somebody pressed while they were held. */
    heldPress?: {
      /** From now on somebody listens. */
      end(): void;
      /** Presses it for those who listen now. */
      repeat(): void;
    };
  }
}

/**
 * Runs in the page, as text. The function returned lets the scripts run once the result has been
 * drawn; without it they do by themselves after a second.
 */
export function holdScripts(): () => void {
  let isReleased = false;
  const release = () => {
    if (isReleased) return;
    if (document.readyState === 'loading')
      return document.addEventListener('DOMContentLoaded', release, { once: true });
    isReleased = true;
    for (const link of document.querySelectorAll<HTMLLinkElement>('link[rel="held"]'))
      link.rel = 'modulepreload';
    for (const script of document.querySelectorAll<HTMLScriptElement>('script[type="held"]')) {
      script.type = 'module';
      // A script that was none is looked at again when it comes into the document.
      const { parentNode, nextSibling } = script;
      script.remove();
      parentNode?.insertBefore(script, nextSibling);
    }
  };
  setTimeout(release, 1_000);
  let pressed: HTMLElement | null = null;
  const keep = ({ target }: Event) => {
    pressed = target instanceof Element ? target.closest('button') : null;
  };
  addEventListener('click', keep, true);
  window.heldPress = {
    end: () => removeEventListener('click', keep, true),
    repeat() {
      if (pressed?.isConnected) pressed.click();
      pressed = null;
    },
  };
  // Two frames: what has loaded is drawn in the first.
  return () => requestAnimationFrame(() => requestAnimationFrame(release));
}
