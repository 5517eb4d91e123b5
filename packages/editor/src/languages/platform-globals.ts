import { scopeCompletionSource } from '@codemirror/lang-javascript';

/*
 * Completes globals and their members from this browser's own objects, so that "document.que" and
 * "Math.ma" offer what it supports. Limited to commonly used platform names, so that nothing of the
 * page around the editor is offered.
 */
const globalNames = [
  'AbortController',
  'Array',
  'Audio',
  'Blob',
  'Boolean',
  'BroadcastChannel',
  'CSS',
  'CustomEvent',
  'DOMParser',
  'Date',
  'Element',
  'Error',
  'Event',
  'EventTarget',
  'File',
  'FormData',
  'HTMLElement',
  'Headers',
  'Image',
  'Infinity',
  'IntersectionObserver',
  'Intl',
  'JSON',
  'Map',
  'Math',
  'MutationObserver',
  'NaN',
  'Number',
  'Object',
  'Promise',
  'Proxy',
  'Reflect',
  'RegExp',
  'Request',
  'ResizeObserver',
  'Response',
  'Set',
  'String',
  'Symbol',
  'TypeError',
  'URL',
  'URLSearchParams',
  'Uint8Array',
  'WeakMap',
  'WeakSet',
  'WebSocket',
  'Worker',
  'addEventListener',
  'alert',
  'cancelAnimationFrame',
  'clearInterval',
  'clearTimeout',
  'confirm',
  'console',
  'crypto',
  'customElements',
  'decodeURIComponent',
  'document',
  'encodeURIComponent',
  'fetch',
  'globalThis',
  'history',
  'innerHeight',
  'innerWidth',
  'isNaN',
  'localStorage',
  'location',
  'matchMedia',
  'navigator',
  'parseFloat',
  'parseInt',
  'performance',
  'prompt',
  'queueMicrotask',
  'removeEventListener',
  'requestAnimationFrame',
  'sessionStorage',
  'setInterval',
  'setTimeout',
  'structuredClone',
  'undefined',
  'window',
] as const;

/** Completed without members: theirs belong to this page, not to the preview. */
const globalsWithoutMembers: ReadonlySet<string> = new Set([
  'globalThis',
  'history',
  'localStorage',
  'location',
  'sessionStorage',
  'window',
]);

/** Completes platform globals and their members. */
export const completeGlobals = scopeCompletionSource(collectGlobals());

function collectGlobals(): Record<string, unknown> {
  const globals: Record<string, unknown> = {};
  for (const name of globalNames) {
    globals[name] = globalsWithoutMembers.has(name) ? undefined : Reflect.get(globalThis, name);
  }
  return globals;
}
