/**
 * The page's own scripts, held until the result that begins with it has loaded: they are ten times
 * what that needs, and would be fetched, parsed and run in its way. The server marks them as no
 * scripts; a few lines in the page make them scripts again, first those that begin its editors.
 */

/** A page with its scripts, and what is fetched ahead for them, marked. What people write has no `<` in it. */
export function markHeld(html: string): string {
  return html
    .replaceAll(/(<link [^>]*)rel="modulepreload"/g, '$1rel="held"')
    .replaceAll(/(<script [^>]*)type="module"/g, '$1type="held"');
}

declare global {
  interface Window {
    /** While the page's scripts are held, and for them behind that. */
    held?: {
      /** The editors have begun: lets in the other scripts. */
      goOn(): void;
      /** From now on somebody listens to buttons. */
      end(): void;
      /** Presses the button that somebody pressed while nobody did. */
      repeat(): void;
    };
  }
}

/**
 * Runs in the page, as text. The function returned, called once the result has loaded, lets the scripts
 * run; without it they do by themselves after a second.
 */
export function holdScripts(): () => void {
  let isReleased = false;
  const letIn = (which: string) => {
    for (const link of document.querySelectorAll<HTMLLinkElement>(`link[rel="held"]${which}`))
      link.rel = 'modulepreload';
    const scripts = document.querySelectorAll<HTMLScriptElement>(`script[type="held"]${which}`);
    for (const script of scripts) {
      script.type = 'module';
      // A script that was none is looked at again when it comes into the document.
      const { parentNode, nextSibling } = script;
      script.remove();
      parentNode?.insertBefore(script, nextSibling);
    }
  };
  const release = () => {
    if (isReleased) return;
    if (document.readyState === 'loading')
      return document.addEventListener('DOMContentLoaded', release, { once: true });
    isReleased = true;
    letIn('[data-first]');
    // Over a slow network the editor's takes a while, which the others need not wait for.
    setTimeout(letIn, document.querySelector('script[data-first]') ? 500 : 0, '');
  };
  setTimeout(release, 1_000);
  let pressed: HTMLElement | null = null;
  const keep = ({ target }: Event) => {
    pressed = target instanceof Element ? target.closest('button') : null;
  };
  addEventListener('click', keep, true);
  window.held = {
    goOn: () => letIn(''),
    end: () => removeEventListener('click', keep, true),
    repeat() {
      if (pressed?.isConnected) pressed.click();
      pressed = null;
    },
  };
  return release;
}
