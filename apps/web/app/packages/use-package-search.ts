import { VitrineError } from '@vitrine/project';
import { useEffect, useState } from 'react';
import type { FoundPackage, SearchAnswer } from './package-calls.ts';
import type { ProjectPackages } from './project-packages.ts';

/** State of the package search. Keeps the previous results while searching. */
export interface Search {
  readonly status: 'searching' | 'found' | 'unreachable';
  readonly found: readonly FoundPackage[];
  readonly searched: boolean;
}

const debounceMs = 200;

const initial: Search = { status: 'searching', found: [], searched: true };

/** Searches packages for a text, debounced. Results of earlier texts are discarded. */
export function usePackageSearch(packages: ProjectPackages, text: string): Search {
  const [search, setSearch] = useState<{ text: string; result: Search }>();
  const query = text.trim();

  useEffect(() => {
    if (query === '') return;
    const controller = new AbortController();
    const { signal } = controller;
    const show = (result: Search) => setSearch({ text: query, result });
    const timer = setTimeout(() => {
      packages.search(query, signal).then(
        (response: SearchAnswer) =>
          show({ status: 'found', found: response.packages, searched: response.searched }),
        (error: unknown) => {
          if (signal.aborted) return;
          if (!(error instanceof VitrineError)) throw error;
          show({ status: 'unreachable', found: [], searched: true });
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
