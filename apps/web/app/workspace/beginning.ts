import { beginFrame, type Beginning } from '@vitrine/sandbox/begun-frame';
import { holdScripts } from './held-scripts.ts';
import { viewsKey } from './result-view.ts';
import { markName } from './run-mark.ts';

/** Marks the element that the result begins in. */
export const placeAttribute = 'data-result-place';

/**
 * The script that begins a project's result before the page's own are asked for. It leaves it to
 * those where the project's last run never ended, or somebody looks at its result in a guise.
 */
export function beginningScript(key: string, beginning: Beginning): string {
  const plan = { ...beginning, mark: markName(key), views: viewsKey, key, place: placeAttribute };
  // What closes a script in a page's text is no character of JSON's own.
  const written = JSON.stringify(plan).replaceAll('<', '\\u003c');
  return `(${beginEarly.toString()})(${written}, ${beginFrame.toString()}, (${holdScripts.toString()})())`;
}

interface Plan extends Beginning {
  readonly mark: string;
  readonly views: string;
  readonly key: string;
  readonly place: string;
}

/**
 * Runs in the page, as text, in front of its stylesheets: a script behind them waits for them. The
 * page's own scripts come once the result has loaded, or after `release`'s own patience.
 */
function beginEarly(plan: Plan, begin: typeof beginFrame, release: () => void): void {
  try {
    if (localStorage.getItem(plan.mark) !== null) return release();
    if (localStorage.getItem(plan.views)?.includes(plan.key)) return release();
  } catch {
    // A device that keeps nothing remembers nothing.
  }
  const observer = new MutationObserver(() => {
    const place = document.querySelector<HTMLElement>(`[${plan.place}]`);
    if (!place) return;
    observer.disconnect();
    begin(plan, place).addEventListener('load', release, { once: true });
  });
  observer.observe(document, { subtree: true, childList: true });
}
