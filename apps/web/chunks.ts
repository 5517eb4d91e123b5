import { fileURLToPath } from 'node:url';
import type { Plugin, Rolldown } from 'vite';
import { earlyEditorScript } from './first-script.ts';

type Graph = Parameters<Rolldown.CodeSplittingNameFunction>[1];

const react = /\/node_modules\/(react|react-dom|scheduler|use-sync-external-store)\//;

/** Modules of which pages use only some, and which import only React: left to the bundler. */
const isPartlyUsed = (id: string) => /\/lucide-react\/|\/packages\//.test(id);

/** Pages with a preview. Modules shared only by these form a chunk for each set of pages. */
const previewPages: Readonly<Record<string, readonly string[]>> = {
  workspace: ['start', 'draft', 'project', 'screen'].map((name) => `/workspace/${name}.tsx`),
  demo: ['/home/demo.tsx'],
  full: ['/workspace/preview/full.tsx', '/workspace/history/version-page.tsx'],
  collection: ['/collections/collection.tsx'],
};

/** Modules that those pages import dynamically, in the order in which they are needed. */
const lazyModules: Readonly<Record<string, readonly string[]>> = {
  document: ['/collaboration/src/index.ts'],
  host: ['/sandbox/src/host/index.ts'],
  editor: ['/editor/src/index.ts'],
  services: ['/editor/src/language-service/index.ts', '/editor/src/lint-client/index.ts'],
};

/** Whether a module is the file at the end of this path. Ids of routes may have a query. */
const isModuleAt = (id: string, path: string) => id.replace(/\?.*$/, '').endsWith(path);

/**
 * Groups the app's modules into chunks. By default the bundler makes a chunk of whatever any two
 * pages share: fifty requests for the smallest page and eighty for a workspace, which cost more
 * than they save. Here a module's chunk is determined by all entries that reach it. Its imports are
 * reached by at least the same entries, so that chunks never import each other in a cycle.
 */
export function groupChunks(): Rolldown.CodeSplittingGroup[] {
  let rootModules: Set<string> | undefined;
  let earlyModules: Set<string> | undefined;
  return [
    { name: 'react', test: react, priority: 3 },
    {
      // Modules that the early editor shares with pages form their own chunk, since pages need only
      // those.
      name: (id, graph) => {
        if (!(earlyModules ??= findImported([earlyEditorScript], graph)).has(id)) return null;
        return findEntries(id, graph).pages.length > 0 ? 'first' : 'begun';
      },
      priority: 2,
      includeDependenciesRecursively: false,
    },
    {
      name: (id, graph) => ((rootModules ??= findRootModules(graph)).has(id) ? 'always' : null),
      priority: 1,
    },
    { name: nameByReach, includeDependenciesRecursively: false },
  ];
}

/**
 * Overrides React Router's strict entry signatures, which would prevent pages from sharing chunks.
 */
export const sharedPageChunks: Plugin = {
  name: 'shared-pages',
  applyToEnvironment: ({ name }) => name === 'client',
  options: (options) => ({ ...options, preserveEntrySignatures: 'allow-extension' }),
  buildEnd(error) {
    if (error) return;
    const ids = [...this.getModuleIds()];
    for (const path of [previewPages, lazyModules].flatMap(Object.values).flat())
      if (!ids.some((id) => isModuleAt(id, path)))
        this.error(`No module is at ${path}, which has a chunk in chunks.ts`);
  },
};

function findRootModules(graph: Graph): Set<string> {
  const entries = ['./app/root.tsx', './app/entry.client.tsx'].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  );
  return findImported(entries, graph, (id) => !isPartlyUsed(id));
}

/** All modules that these import, directly or not, without themselves. */
function findImported(ids: readonly string[], graph: Graph, isIncluded = (_id: string) => true) {
  const found = new Set(ids);
  for (const id of found)
    for (const next of graph.getModuleInfo(id)?.importedIds ?? [])
      if (isIncluded(next)) found.add(next);
  for (const id of ids) found.delete(id);
  return found;
}

function nameByReach(id: string, graph: Graph): string | null {
  const { pages, dynamic } = findEntries(id, graph);
  const names = findNames(previewPages, [...pages, ...dynamic]);
  // The router imports a page's own module by its URL.
  if (pages.some(isOtherPage) || !isOtherPage(id)) return null;
  return names.length > 0 ? names.join('-') : (findNames(lazyModules, dynamic)[0] ?? null);
}

const isOtherPage = (page: string) => findNames(previewPages, [page]).length === 0;

function findNames(chunks: typeof previewPages, ids: readonly string[]): string[] {
  return Object.entries(chunks)
    .filter(([, paths]) => paths.some((path) => ids.some((id) => isModuleAt(id, path))))
    .map(([name]) => name);
}

/** The entries that reach a module: pages, and modules that are imported dynamically. */
function findEntries(id: string, graph: Graph) {
  const reached = new Set([id]);
  const pages: string[] = [];
  const dynamic: string[] = [];
  for (const one of reached) {
    const info = graph.getModuleInfo(one);
    // The early-editor script is no page; other pages load the editor dynamically.
    if (info?.isEntry && one !== earlyEditorScript) pages.push(one);
    else if (info?.dynamicImporters.length) dynamic.push(one);
    for (const importer of info?.importers ?? []) reached.add(importer);
  }
  return { pages, dynamic };
}
