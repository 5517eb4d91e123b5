import {
  FileFinder,
  findInFiles,
  nothingFound,
  type FileQuery,
  type Found,
} from '@vitrine/editor/find';
import { useDeferredValue, useEffect, useMemo, useState } from 'react';
import { useSource } from './source.ts';
import type { Workspace } from './workspace.ts';

/** Search results for a query. Deferred, so that typing stays responsive. */
export function useFound(workspace: Workspace, query: FileQuery): Found {
  const texts = useDeferredValue(useSource(workspace.texts));
  const deferredQuery = useDeferredValue(query);
  const textResults = useMemo(
    () => (deferredQuery.isExpression ? undefined : findInFiles(texts, deferredQuery)),
    [texts, deferredQuery],
  );
  const regExpResults = useRegExpResults(texts, deferredQuery);
  return textResults ?? regExpResults;
}

/** Keeps the last results until the next ones are ready. */
function useRegExpResults(texts: ReadonlyMap<string, string>, query: FileQuery): Found {
  const [found, setFound] = useState(nothingFound);
  const [finder] = useState(() => new FileFinder());
  useEffect(() => () => finder.close(), [finder]);
  useEffect(() => {
    if (!query.isExpression) return;
    void finder.find(texts, query).then((answer) => answer && setFound(answer));
  }, [finder, texts, query]);
  return found;
}
