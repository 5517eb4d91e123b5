import type { FileMatch, FileSearchQuery } from '@vitrine/editor/find';
import { useState } from 'react';
import type { ProjectSearch } from './project-search.ts';
import { useStore } from '../value-store.ts';

/** Search matches excluded from replacing. */
export interface ExcludedMatches {
  has(path: string, match: FileMatch): boolean;
  /** Excludes matches of a file, or includes them again. */
  set(path: string, matches: readonly FileMatch[], isExcluded: boolean): void;
}

/**
 * Exclusions of a file, by match offset. They only apply to this text: after an edit the offsets
 * are different.
 */
interface Excluded {
  readonly text: string | undefined;
  readonly places: ReadonlySet<number>;
}

interface Exclusion {
  readonly query: FileSearchQuery;
  readonly files: ReadonlyMap<string, Excluded>;
}

const none: ReadonlySet<number> = new Set();

/** Exclusions for the current query. A new query clears them. */
export function useExcludedMatches(search: ProjectSearch, query: FileSearchQuery): ExcludedMatches {
  const texts = useStore(search.texts);
  const [made, setMade] = useState<Exclusion>({ query, files: new Map() });
  const files = isSameSearch(made.query, query) ? made.files : new Map<string, Excluded>();
  const excludedIn = (path: string) => {
    const known = files.get(path);
    return known && known.text === texts.get(path) ? known.places : none;
  };
  return {
    has: (path, { from }) => excludedIn(path).has(from),
    set(path, matches, isExcluded) {
      const places = new Set(excludedIn(path));
      for (const { from } of matches) {
        if (isExcluded) places.add(from);
        else places.delete(from);
      }
      setMade({ query, files: new Map(files).set(path, { text: texts.get(path), places }) });
    },
  };
}

/** True if two queries find the same matches. The replacement doesn't matter. */
function isSameSearch(one: FileSearchQuery, other: FileSearchQuery): boolean {
  return (
    one.text === other.text &&
    one.matchesCase === other.matchesCase &&
    one.wholeWord === other.wholeWord &&
    one.isRegExp === other.isRegExp
  );
}
