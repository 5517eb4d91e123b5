import type { FileMatch, FileQuery } from '@vitrine/editor/find';
import { useState } from 'react';
import { useSource } from './source.ts';
import type { Workspace } from './workspace.ts';

/** The matches that are not to be replaced. */
export interface ExcludedMatches {
  has(path: string, match: FileMatch): boolean;
  /** Takes matches of a file out, or in again. */
  set(path: string, matches: readonly FileMatch[], isExcluded: boolean): void;
}

/** Of a text in which something was edited since, no match is excluded: they stand elsewhere now. */
interface Excluded {
  readonly text: string | undefined;
  readonly places: ReadonlySet<number>;
}

interface Exclusion {
  readonly query: FileQuery;
  readonly files: ReadonlyMap<string, Excluded>;
}

const none: ReadonlySet<number> = new Set();

/** They are chosen for what is looked for now, and forgotten with it. */
export function useExcludedMatches(workspace: Workspace, query: FileQuery): ExcludedMatches {
  const texts = useSource(workspace.texts);
  const [made, setMade] = useState<Exclusion>({ query, files: new Map() });
  const files = isSameSearch(made.query, query) ? made.files : new Map<string, Excluded>();
  const placesIn = (path: string) => {
    const known = files.get(path);
    return known && known.text === texts.get(path) ? known.places : none;
  };
  return {
    has: (path, { from }) => placesIn(path).has(from),
    set(path, matches, isExcluded) {
      const places = new Set(placesIn(path));
      for (const { from } of matches) {
        if (isExcluded) places.add(from);
        else places.delete(from);
      }
      setMade({ query, files: new Map(files).set(path, { text: texts.get(path), places }) });
    },
  };
}

/** What is written in the place of the matches does not move them. */
function isSameSearch(one: FileQuery, other: FileQuery): boolean {
  return (
    one.text === other.text &&
    one.matchesCase === other.matchesCase &&
    one.wholeWord === other.wholeWord &&
    one.isExpression === other.isExpression
  );
}
