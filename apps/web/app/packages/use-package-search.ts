import type { FoundPackage, SearchResponse } from '@vitrine/esm/messages';
import { VitrineError } from '@vitrine/project';
import { useEffect, useState } from 'react';
import type { ProjectPackages } from './project-packages.ts';

/** State of the package search. Keeps the previous results while searching. */
export interface PackageSearchState {
  readonly status: 'searching' | 'found' | 'unreachable';
  readonly results: readonly FoundPackage[];
  readonly hasSearch: boolean;
}

const debounceMs = 200;

const initial: PackageSearchState = { status: 'searching', results: [], hasSearch: true };

/** Searches packages for a text, debounced. Results of earlier texts are discarded. */
export function usePackageSearch(packages: ProjectPackages, text: string): PackageSearchState {
  const [search, setSearch] = useState<{ text: string; result: PackageSearchState }>();
  const query = text.trim();

  useEffect(() => {
    if (query === '') return;
    const controller = new AbortController();
    const { signal } = controller;
    const show = (result: PackageSearchState) => setSearch({ text: query, result });
    const timer = setTimeout(() => {
      packages.search(query, signal).then(
        (response: SearchResponse) =>
          show({ status: 'found', results: response.packages, hasSearch: response.searched }),
        (error: unknown) => {
          if (signal.aborted) return;
          if (!(error instanceof VitrineError)) throw error;
          show({ status: 'unreachable', results: [], hasSearch: true });
        },
      );
    }, debounceMs);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [packages, query]);

  if (search?.text === query) return search.result;
  return { ...(search?.result ?? initial), status: 'searching' };
}
