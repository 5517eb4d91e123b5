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

/** What is found in the project's files. Typing goes first, here and in the editor. */
export function useFound(workspace: Workspace, query: FileQuery): Found {
  const texts = useDeferredValue(useSource(workspace.texts));
  const asked = useDeferredValue(query);
  const plain = useMemo(
    () => (asked.isExpression ? undefined : findInFiles(texts, asked)),
    [texts, asked],
  );
  const byExpression = useFoundByExpression(texts, asked);
  return plain ?? byExpression;
}

/** The last answer stays until the next one is there. */
function useFoundByExpression(texts: ReadonlyMap<string, string>, query: FileQuery): Found {
  const [found, setFound] = useState(nothingFound);
  const [finder] = useState(() => new FileFinder());
  useEffect(() => () => finder.close(), [finder]);
  useEffect(() => {
    if (!query.isExpression) return;
    void finder.find(texts, query).then((answer) => answer && setFound(answer));
  }, [finder, texts, query]);
  return found;
}
