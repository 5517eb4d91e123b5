import {
  FileSearcher,
  findInFiles,
  noFileSearchResults,
  type FileSearchQuery,
  type FileSearchResults,
} from '@vitrine/editor/find';
import { useDeferredValue, useEffect, useMemo, useState } from 'react';
import type { ProjectSearch } from './project-search.ts';
import { useStore } from '../value-store.ts';

/** Search results for a query. Deferred, so that typing stays responsive. */
export function useSearchResults(search: ProjectSearch, query: FileSearchQuery): FileSearchResults {
  const texts = useDeferredValue(useStore(search.texts));
  const deferredQuery = useDeferredValue(query);
  const textResults = useMemo(
    () => (deferredQuery.isRegExp ? undefined : findInFiles(texts, deferredQuery)),
    [texts, deferredQuery],
  );
  const regExpResults = useRegExpResults(texts, deferredQuery);
  return textResults ?? regExpResults;
}

/** Keeps the last results until the next ones are ready. */
function useRegExpResults(
  texts: ReadonlyMap<string, string>,
  query: FileSearchQuery,
): FileSearchResults {
  const [found, setFound] = useState(noFileSearchResults);
  const [finder] = useState(() => new FileSearcher());
  useEffect(() => () => finder.close(), [finder]);
  useEffect(() => {
    if (!query.isRegExp) return;
    void finder.find(texts, query).then((answer) => answer && setFound(answer));
  }, [finder, texts, query]);
  return found;
}
