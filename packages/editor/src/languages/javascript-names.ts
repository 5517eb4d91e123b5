import { scopeCompletionSource } from '@codemirror/lang-javascript';

/*
 * The names that scripts in a page use most, from the platform itself: members are read from the
 * real objects, so that "document.que" and "Math.ma" complete to what this browser has. Only the
 * platform's own objects are here, never the storage or the globals of the page we live in.
 */
const names = [
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

/** Offered by name alone: their members are this page's, not those of the page being written. */
const opaque: ReadonlySet<string> = new Set([
  'globalThis',
  'history',
  'localStorage',
  'location',
  'sessionStorage',
  'window',
]);

/** Completes the platform's globals and their members. */
export const completeGlobals = scopeCompletionSource(platform());

function platform(): Record<string, unknown> {
  const known: Record<string, unknown> = {};
  for (const name of names) {
    known[name] = opaque.has(name) ? undefined : Reflect.get(globalThis, name);
  }
  return known;
}
