import { fileURLToPath } from 'node:url';
import type { Rolldown } from 'vite';

type Graph = Parameters<Rolldown.CodeSplittingNameFunction>[1];

const react = /\/node_modules\/(react|react-dom|scheduler|use-sync-external-store)\//;

/** A page uses parts of these, which import React alone: what goes where is the bundler's to say. */
const isInParts = (id: string) => /\/lucide-react\/|\/packages\//.test(id);

/**
 * What every page loads, as two files. By itself the bundler makes a file of whatever any two pages
 * share, fifty of them before the smallest page: requests that cost more than what they bring.
 */
export function groupChunks(): Rolldown.CodeSplittingGroup[] {
  let ofRoot: Set<string> | undefined;
  return [
    { name: 'react', test: react, priority: 1 },
    { name: (id, graph) => ((ofRoot ??= findOfRoot(graph)).has(id) ? 'always' : null) },
  ];
}

function findOfRoot(graph: Graph): Set<string> {
  const entries = ['./app/root.tsx', './app/entry.client.tsx'].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  );
  const found = new Set(entries);
  for (const id of found)
    for (const next of graph.getModuleInfo(id)?.importedIds ?? [])
      if (!isInParts(next)) found.add(next);
  // By these the pages ask for them.
  for (const entry of entries) found.delete(entry);
  return found;
}
