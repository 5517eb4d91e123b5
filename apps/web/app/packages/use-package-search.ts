import { VitrineError } from '@vitrine/project';
import { useEffect, useState } from 'react';
import type { FoundPackage, SearchAnswer } from './package-calls.ts';
import type { ProjectPackages } from './project-packages.ts';

/** What a search has come to; what was found before stays while the next one is on its way. */
export interface Search {
  readonly status: 'searching' | 'found' | 'unreachable';
  readonly found: readonly FoundPackage[];
  readonly searched: boolean;
}

/** A key press this soon after another means that someone is still typing. */
const pauseMs = 200;

const begun: Search = { status: 'searching', found: [], searched: true };

/** The packages that fit what is being typed; the latest text wins. */
export function usePackageSearch(packages: ProjectPackages, text: string): Search {
  const [search, setSearch] = useState<{ text: string; result: Search }>();
  const wanted = text.trim();

  useEffect(() => {
    if (wanted === '') return;
    const life = new AbortController();
    const { signal } = life;
    const show = (result: Search) => setSearch({ text: wanted, result });
    const timer = setTimeout(() => {
      packages.search(wanted, signal).then(
        (answer: SearchAnswer) =>
          show({ status: 'found', found: answer.packages, searched: answer.searched }),
        (error: unknown) => {
          if (signal.aborted) return;
          if (!(error instanceof VitrineError)) throw error;
          show({ status: 'unreachable', found: [], searched: true });
        },
      );
    }, pauseMs);
    return () => {
      clearTimeout(timer);
      life.abort();
    };
  }, [packages, wanted]);

  if (search?.text === wanted) return search.result;
  return { ...(search?.result ?? begun), status: 'searching' };
}
