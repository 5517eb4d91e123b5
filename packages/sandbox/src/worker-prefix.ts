/** Prefix on the first line of a worker's script. It loads the agent that reports the worker's console. */

/** Length of the prefix; the columns of the first line shift by it. */
export const workerPrefixLength = 320;

/**
 * Prefixes a worker's script. The request doesn't tell whether the worker is a module or a classic one: a
 * script with imports or exports is a module, any other may be either.
 */
export function instrumentWorkerScript(text: string, url: string): string {
  return workerPrefix(text, url) + text;
}

function workerPrefix(text: string, url: string): string {
  const quoted = JSON.stringify(url);
  const isModule = /^\s*(?:import\b(?!\s*[(.])|export\b)/m.test(text);
  const isStrict = /^\s*(?:"use strict"|'use strict')/.test(text);
  const load = isModule
    ? `import ${quoted};`
    : (isStrict ? '"use strict";' : '') + loadSynchronously(quoted);
  return `${load.padEnd(workerPrefixLength - 1)};`;
}

/** Loads synchronously in either kind. In a module worker, `importScripts` throws, and `import()` would be too late. */
function loadSynchronously(url: string): string {
  const evaluate = 'r.open("GET",u,!1);r.send();(0,eval)(r.responseText)';
  return `{let u=${url};try{importScripts(u)}catch{try{let r=new XMLHttpRequest;${evaluate}}catch{}}}`;
}

/** Prefixes a blob without reading it, so whether it is a module isn't known. */
export function instrumentWorkerBlob(script: Blob, url: string): Blob {
  return new Blob([workerPrefix('', url), script], { type: script.type });
}

/** Whether a request is for a worker's own script. */
export function isWorkerDestination(destination: string | null): boolean {
  return destination === 'worker' || destination === 'sharedworker';
}
