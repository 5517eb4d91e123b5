/** What stands in front of a worker's script, on its first line: the agent that reports its console. */

/** How far the first line moves to the right. */
export const workerPrefixLength = 320;

/**
 * Which of the two kinds of worker a script is for is not in its request. One that imports or exports
 * is a module; another may be either.
 */
export function instrumentWorker(text: string, address: string): string {
  return workerPrefix(text, address) + text;
}

function workerPrefix(text: string, address: string): string {
  const quoted = JSON.stringify(address);
  const isModule = /^\s*(?:import\b(?!\s*[(.])|export\b)/m.test(text);
  const isStrict = /^\s*(?:"use strict"|'use strict')/.test(text);
  const load = isModule
    ? `import ${quoted};`
    : (isStrict ? '"use strict";' : '') + loadAtOnce(quoted);
  return `${load.padEnd(workerPrefixLength - 1)};`;
}

/** In a module, `importScripts` throws, and `import()` comes too late. */
function loadAtOnce(address: string): string {
  const evaluate = 'r.open("GET",u,!1);r.send();(0,eval)(r.responseText)';
  return `{let u=${address};try{importScripts(u)}catch{try{let r=new XMLHttpRequest;${evaluate}}catch{}}}`;
}

/** A blob can be put behind a prefix without being read; whether it imports is then not known. */
export function instrumentBlob(script: Blob, address: string): Blob {
  return new Blob([workerPrefix('', address), script], { type: script.type });
}

/** Whether a request is for the script that a worker begins with. */
export function isWorkerDestination(destination: string | null): boolean {
  return destination === 'worker' || destination === 'sharedworker';
}
