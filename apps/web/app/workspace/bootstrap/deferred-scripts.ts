/**
 * Defers the page's own scripts until the prerendered preview has loaded. They are ten times its
 * size and would be fetched, parsed and run ahead of it. The server marks them as inert; an inline
 * script activates them again, starting with those of the early editors.
 */

/**
 * Marks the scripts and modulepreload links of a page as deferred. User content can't match: it has
 * no unescaped `<`.
 */
export function deferScripts(html: string): string {
  return html
    .replaceAll(/(<link [^>]*)rel="modulepreload"/g, '$1rel="deferred"')
    .replaceAll(/(<script [^>]*)type="module"/g, '$1type="deferred"');
}

declare global {
  interface Window {
    /** Set while the page's scripts are deferred, and used by them afterwards. */
    deferredScripts?: {
      /** Activates the remaining scripts, once the early editors have started. */
      activateAll(): void;
      /** Stops recording clicks, once the app handles them. */
      stopRecording(): void;
      /** Repeats a button click that happened before the app was hydrated. */
      repeatClick(): void;
    };
  }
}

/**
 * Runs in the page as text. The returned function activates the scripts once the preview has
 * loaded. Without that call they are activated after one second.
 */
export function installDeferredScripts(): () => void {
  let isReleased = false;
  const activate = (selector: string) => {
    for (const link of document.querySelectorAll<HTMLLinkElement>(
      `link[rel="deferred"]${selector}`,
    ))
      link.rel = 'modulepreload';
    const scripts = document.querySelectorAll<HTMLScriptElement>(
      `script[type="deferred"]${selector}`,
    );
    for (const script of scripts) {
      script.type = 'module';
      // Reinserting makes the browser run a script that was inert.
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
    activate('[data-first]');
    // On a slow network the editor's scripts take a while. The others don't wait for them any
    // longer.
    setTimeout(activate, document.querySelector('script[data-first]') ? 500 : 0, '');
  };
  setTimeout(release, 1_000);
  let clicked: HTMLElement | null = null;
  const recordClick = ({ target }: Event) => {
    clicked = target instanceof Element ? target.closest('button') : null;
  };
  addEventListener('click', recordClick, true);
  window.deferredScripts = {
    activateAll: () => activate(''),
    stopRecording: () => removeEventListener('click', recordClick, true),
    repeatClick() {
      if (clicked?.isConnected) clicked.click();
      clicked = null;
    },
  };
  return release;
}
