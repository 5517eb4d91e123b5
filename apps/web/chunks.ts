import { fileURLToPath } from 'node:url';
import type { Plugin, Rolldown } from 'vite';
import { firstScript } from './first-script.ts';

type Graph = Parameters<Rolldown.CodeSplittingNameFunction>[1];

const react = /\/node_modules\/(react|react-dom|scheduler|use-sync-external-store)\//;

/** A page uses parts of these, which import React alone: what goes where is the bundler's to say. */
const isInParts = (id: string) => /\/lucide-react\/|\/packages\//.test(id);

/** Pages that show a result. What only these share is one file for each set of them. */
const shows: Readonly<Record<string, RegExp>> = {
  workspace: /\/workspace\/(start|draft|project|screen)\.tsx/,
  demo: /\/workspace\/demo\.tsx$/,
  full: /\/workspace\/full\.tsx/,
};

/** What those pages load behind themselves, in the order in which it is wanted. */
const comes: Readonly<Record<string, RegExp>> = {
  document: /\/collaboration\/src\/index\.ts$/,
  host: /\/sandbox\/src\/host\/index\.ts$/,
  editor: /\/editor\/src\/index\.ts$/,
  services: /\/editor\/src\/(language-service|rules)\/index\.ts$/,
};

/**
 * The files that pages load. By itself the bundler makes one of whatever any two pages share: fifty
 * before the smallest page and eighty before a workspace, requests that cost more than what they bring.
 * A module goes by all that it is reached from; what it imports is reached from no less, so that no two
 * of these files import each other.
 */
export function groupChunks(): Rolldown.CodeSplittingGroup[] {
  let ofRoot: Set<string> | undefined;
  let ofFirst: Set<string> | undefined;
  return [
    { name: 'react', test: react, priority: 3 },
    {
      // What the first script has in common with pages is apart: they need nothing else of it.
      name: (id, graph) => {
        if (!(ofFirst ??= findImported([firstScript], graph)).has(id)) return null;
        return findBeginnings(id, graph).pages.length > 0 ? 'first' : 'begun';
      },
      priority: 2,
      includeDependenciesRecursively: false,
    },
    {
      name: (id, graph) => ((ofRoot ??= findOfRoot(graph)).has(id) ? 'always' : null),
      priority: 1,
    },
    { name: nameByReach, includeDependenciesRecursively: false },
  ];
}

/** React Router wants the pages' files to export what they did and nothing else, which keeps them apart. */
export const sharedPages: Plugin = {
  name: 'shared-pages',
  applyToEnvironment: ({ name }) => name === 'client',
  options: (options) => ({ ...options, preserveEntrySignatures: 'allow-extension' }),
};

function findOfRoot(graph: Graph): Set<string> {
  const entries = ['./app/root.tsx', './app/entry.client.tsx'].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  );
  return findImported(entries, graph, (id) => !isInParts(id));
}

/** All that these import, directly or not, without themselves: by these the pages ask for them. */
function findImported(ids: readonly string[], graph: Graph, isWanted = (_id: string) => true) {
  const found = new Set(ids);
  for (const id of found)
    for (const next of graph.getModuleInfo(id)?.importedIds ?? [])
      if (isWanted(next)) found.add(next);
  for (const id of ids) found.delete(id);
  return found;
}

function nameByReach(id: string, graph: Graph): string | null {
  const { pages, later } = findBeginnings(id, graph);
  const showing = namesOf(shows, [...pages, ...later]);
  // The router asks for a page's own modules by name.
  if (pages.some(isOther) || !isOther(id)) return null;
  return showing.length > 0 ? showing.join('-') : (namesOf(comes, later)[0] ?? null);
}

const isOther = (page: string) => !Object.values(shows).some((pattern) => pattern.test(page));

function namesOf(names: Readonly<Record<string, RegExp>>, ids: readonly string[]): string[] {
  return Object.keys(names).filter((name) => ids.some((id) => names[name]?.test(id)));
}

/** Of what imports a module, directly or not: pages, and what is loaded later. */
function findBeginnings(id: string, graph: Graph) {
  const reached = new Set([id]);
  const pages: string[] = [];
  const later: string[] = [];
  for (const one of reached) {
    const info = graph.getModuleInfo(one);
    // The first script is the editor's, which other pages load later.
    if (info?.isEntry && one !== firstScript) pages.push(one);
    else if (info?.dynamicImporters.length) later.push(one);
    for (const importer of info?.importers ?? []) reached.add(importer);
  }
  return { pages, later };
}
