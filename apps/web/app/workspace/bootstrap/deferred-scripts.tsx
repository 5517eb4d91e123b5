/**
 * Defers the page's own scripts until the prerendered preview has loaded. They are ten times its
 * size and would be fetched, parsed and run ahead of it. The server renders them inert; an inline
 * script activates them again, starting with those of the early editors.
 *
 * Gain (decision 9): with the editor's scripts started at once, instead of after the preview, the
 * preview was 150 ms later and the editor 70 ms sooner.
 *
 * React Router has no option for this: `<Scripts>` sets the `type` of its script itself, whatever
 * its props say. So the elements that it returns are rendered with another `type` and `rel`. If a
 * new version renders them in another way, they aren't deferred any more, and
 * `deferred-scripts.test.ts` says so. Everything still works then, only slower.
 */
import { Children, cloneElement, isValidElement, type ReactNode } from 'react';
import { Scripts as useScripts, useRouteLoaderData } from 'react-router';
import type { loader } from '../project.tsx';

/** Whether the server renders this page's scripts deferred: if it has a prerendered preview. */
export function useDeferredScripts(): boolean {
  const project = useRouteLoaderData<typeof loader>('workspace/project');
  return import.meta.env.SSR && project?.prerenderPlan !== undefined;
}

/** The router's scripts, deferred if the page has a prerendered preview. */
export function PageScripts(): ReactNode {
  const isDeferred = useDeferredScripts();
  // Called as a hook, for the elements that it returns.
  const scripts: ReactNode = useScripts({});
  return isDeferred ? defer(scripts) : scripts;
}

/** Renders module scripts and their preloads deferred, at any depth. */
function defer(nodes: ReactNode): ReactNode {
  return Children.map(nodes, (node) => {
    if (!isValidElement<ElementProps>(node)) return node;
    const { rel, type, children } = node.props;
    if (node.type === 'script' && type === 'module')
      return cloneElement(node, { type: 'deferred' });
    if (node.type === 'link' && rel === 'modulepreload')
      return cloneElement(node, { rel: 'deferred' });
    return children === undefined ? node : cloneElement(node, { children: defer(children) });
  });
}

interface ElementProps {
  readonly rel?: unknown;
  readonly type?: unknown;
  readonly children?: ReactNode;
}

declare global {
  interface Window {
    /** Set while the page's scripts are deferred, and used by them afterwards. */
    deferredScripts?: {
      /** Activates the remaining scripts, once the early editors have started. */
      activateAll(): void;
      /** Stops recording clicks, once the app is hydrated and handles them. */
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
  let isHydrated = false;
  const recordClick = ({ target }: Event) => {
    clicked = target instanceof Element ? target.closest('button') : null;
  };
  // React stops the propagation of a click that it can't handle yet.
  const dropHandledClick = () => {
    if (isHydrated) clicked = null;
  };
  addEventListener('click', recordClick, true);
  addEventListener('click', dropHandledClick);
  window.deferredScripts = {
    activateAll: () => activate(''),
    stopRecording() {
      isHydrated = true;
      removeEventListener('click', recordClick, true);
    },
    // Later, because React may have hydrated the app for a click that it is about to handle.
    repeatClick() {
      setTimeout(() => {
        removeEventListener('click', dropHandledClick);
        if (clicked?.isConnected) clicked.click();
        clicked = null;
      });
    },
  };
  return release;
}
