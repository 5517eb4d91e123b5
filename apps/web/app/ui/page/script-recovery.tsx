/**
 * Reloads a page whose own scripts couldn't be loaded, once the server can be reached: until then
 * its buttons do nothing. Code that a running page loads later is retried by `importCode`.
 */
import { limits } from '@vitrine/project/limits';
import { useEffect, useState } from 'react';
import { usePageNonce } from '../../session/page-settings.ts';

declare global {
  interface Window {
    /** Called once the page's scripts have loaded. */
    stopScriptRecovery?: () => void;
  }
}

/** Number of reloads since a page of this tab last started. */
const storageKey = 'vitrine-reloads';
/** Reloads after which a page stays as it is: its scripts are missing although the server answers. */
const maxReloads = 5;

/** Inline script for the head of every page. */
export function ScriptRecovery() {
  const [nonce] = useState(usePageNonce());
  useEffect(() => window.stopScriptRecovery?.(), []);
  const args = JSON.stringify([storageKey, limits.retrySeconds, maxReloads]);
  const script = import.meta.env.SSR ? `(${recoverScripts.toString()})(...${args})` : '';
  return (
    <script nonce={nonce} suppressHydrationWarning dangerouslySetInnerHTML={{ __html: script }} />
  );
}

/** Runs in the page as text. */
function recoverScripts(key: string, delaySeconds: readonly number[], limit: number): void {
  let isRecovering = false;
  const recover = async () => {
    if (isRecovering) return;
    isRecovering = true;
    // Shows “Reconnecting…” (base.css), and lets the page be left without a question.
    document.documentElement.dataset['scripts'] = 'missing';
    let attempts = 0;
    try {
      attempts = Number(sessionStorage.getItem(key));
      sessionStorage.setItem(key, String(attempts + 1));
    } catch {
      // Storage is denied.
    }
    if (attempts >= limit) {
      document.documentElement.dataset['scripts'] = 'failed';
      return;
    }
    for (let isReachable = false; !isReachable; attempts += 1) {
      const seconds = delaySeconds[Math.min(attempts, delaySeconds.length - 1)] ?? 10;
      await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
      isReachable = await fetch('/healthz').then(
        ({ ok }) => ok,
        () => false,
      );
    }
    location.reload();
  };
  const onError = ({ target }: Event) => {
    // The app replaces an early editor that can't start.
    if (target instanceof HTMLScriptElement && target.type === 'module' && !target.dataset['first'])
      void recover();
  };
  const onRejection = ({ reason }: PromiseRejectionEvent) => {
    const isLoadFailure = /dynamically imported module|Importing a module script failed/;
    if (reason instanceof TypeError && isLoadFailure.test(reason.message)) void recover();
  };
  addEventListener('error', onError, true);
  addEventListener('unhandledrejection', onRejection);
  window.stopScriptRecovery = () => {
    removeEventListener('error', onError, true);
    removeEventListener('unhandledrejection', onRejection);
    try {
      sessionStorage.removeItem(key);
    } catch {
      // Storage is denied.
    }
  };
}
