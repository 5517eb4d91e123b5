/** What stands in front of a worker's script, on its first line: the agent that reports its console. */

/** How far the first line moves to the right. */
export const workerPrefixLength = 160;

/**
 * Which of the two kinds of worker a script is for is not in its request. One that imports or exports
 * is a module; another may be either.
 */
export function instrumentWorker(text: string, address: string): string {
  return workerPrefix(text, address) + text;
}

function workerPrefix(text: string, address: string): string {
  const quoted = JSON.stringify(address);
  const isStrict = /^\s*(?:"use strict"|'use strict')/.test(text);
  const load = /^\s*(?:import\b(?!\s*[(.])|export\b)/m.test(text)
    ? `import ${quoted};`
    : `${isStrict ? '"use strict";' : ''}try{importScripts(${quoted})}catch{import(${quoted})}`;
  return `${load.padEnd(workerPrefixLength - 1)};`;
}

/** A blob can be put behind a prefix without being read; whether it imports is then not known. */
export function instrumentBlob(script: Blob, address: string): Blob {
  return new Blob([workerPrefix('', address), script], { type: script.type });
}

/** Whether a request is for the script that a worker begins with. */
export function isWorkerDestination(destination: string | null): boolean {
  return destination === 'worker' || destination === 'sharedworker';
}
