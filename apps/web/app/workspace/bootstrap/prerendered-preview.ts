import { prerenderFrame, type PrerenderPlan } from '@vitrine/sandbox/prerendered-frame';
import { installDeferredScripts } from './deferred-scripts.tsx';
import type { PrerenderedPreview } from '../preview/preview-controller.ts';
import { getPermissionsStorageKey, getStoredProject } from '../permissions/project-permissions.ts';
import { viewsStorageKey } from '../preview/preview-view.ts';
import { getCrashMarkerKey } from '../preview/crash-marker.ts';

/** Marks the element that hosts the prerendered preview. */
export const previewHostAttribute = 'data-result-place';

/**
 * Source of the inline script that starts a project's preview before the page's scripts load. It
 * does nothing if the previous run crashed, or if media emulation is on or permissions are allowed
 * for the project; the page's scripts start the preview then.
 */
export function createPrerenderScript(
  { key, project, userId }: PrerenderedProject,
  beginning: PrerenderPlan,
): string {
  const plan = {
    ...beginning,
    mark: getCrashMarkerKey(key),
    views: viewsStorageKey,
    key,
    permissions: getPermissionsStorageKey(userId),
    project: getStoredProject(project),
    place: previewHostAttribute,
  };
  // Escapes "<", so that a text can't close the script element. JSON never needs the character
  // itself.
  const json = JSON.stringify(plan).replaceAll('<', '\\u003c');
  return `(${startEarly.toString()})(${json}, ${prerenderFrame.toString()}, (${installDeferredScripts.toString()})())`;
}

/** The project of a prerendered preview, and its user. */
interface PrerenderedProject {
  /** Key of the preview. */
  readonly key: string;
  /** Id of the project. */
  readonly project: string;
  /** Null for a visitor. */
  readonly userId: string | null;
}

interface Plan extends PrerenderPlan {
  readonly mark: string;
  readonly views: string;
  readonly key: string;
  readonly permissions: string;
  readonly project: string;
  readonly place: string;
}

/**
 * Runs in the page as text, in front of its stylesheets, which later scripts would have to wait
 * for. The page's own scripts are released once the preview has loaded, or after a timeout in
 * `release`.
 */
function startEarly(plan: Plan, begin: typeof prerenderFrame, release: () => void): void {
  try {
    if (localStorage.getItem(plan.mark) !== null) return release();
    if (localStorage.getItem(plan.views)?.includes(plan.key)) return release();
    if (localStorage.getItem(plan.permissions)?.includes(plan.project)) return release();
  } catch {
    // Storage is denied, so nothing is remembered.
  }
  const observer = new MutationObserver(() => {
    const place = document.querySelector<HTMLElement>(`[${plan.place}]`);
    if (!place) return;
    observer.disconnect();
    const frame = begin(plan, place);
    const prerendered: PrerenderedPreview = { place, frame };
    window.prerenderedPreview = prerendered;
    frame.element.addEventListener('load', release, { once: true });
  });
  observer.observe(document, { subtree: true, childList: true });
}
