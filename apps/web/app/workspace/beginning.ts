import { beginFrame, type Beginning } from '@vitrine/sandbox/begun-frame';
import { holdScripts } from './held-scripts.ts';
import { viewsKey } from './result-view.ts';
import { markName } from './run-mark.ts';

/** Marks the element that hosts the prerendered preview. */
export const placeAttribute = 'data-result-place';

/**
 * Source of the inline script that starts a project's preview before the page's scripts load. It
 * does nothing if the previous run crashed or media emulation is on for the project; the page's
 * scripts start the preview then.
 */
export function beginningScript(key: string, beginning: Beginning): string {
  const plan = { ...beginning, mark: markName(key), views: viewsKey, key, place: placeAttribute };
  // Escapes "<", so that a text can't close the script element. JSON never needs the character
  // itself.
  const json = JSON.stringify(plan).replaceAll('<', '\\u003c');
  return `(${startEarly.toString()})(${json}, ${beginFrame.toString()}, (${holdScripts.toString()})())`;
}

interface Plan extends Beginning {
  readonly mark: string;
  readonly views: string;
  readonly key: string;
  readonly place: string;
}

/**
 * Runs in the page as text, in front of its stylesheets, which later scripts would have to wait
 * for. The page's own scripts are released once the preview has loaded, or after a timeout in
 * `release`.
 */
function startEarly(plan: Plan, begin: typeof beginFrame, release: () => void): void {
  try {
    if (localStorage.getItem(plan.mark) !== null) return release();
    if (localStorage.getItem(plan.views)?.includes(plan.key)) return release();
  } catch {
    // Storage is denied, so nothing is remembered.
  }
  const observer = new MutationObserver(() => {
    const place = document.querySelector<HTMLElement>(`[${plan.place}]`);
    if (!place) return;
    observer.disconnect();
    begin(plan, place).addEventListener('load', release, { once: true });
  });
  observer.observe(document, { subtree: true, childList: true });
}
