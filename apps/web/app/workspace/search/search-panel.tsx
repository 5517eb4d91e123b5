import {
  noFileSearchResults,
  type FileSearchQuery,
  type FileSearchResults,
} from '@vitrine/editor/find';
import { describeError, findErrorCode } from '@vitrine/project';
import { useRef } from 'react';
import { showErrorToast, showToast } from '../../ui/toast.tsx';
import { useExcludedMatches } from './excluded-matches.ts';
import { SearchResults } from './search-results.tsx';
import { useRequestedFocus, type LayoutController } from '../layout/layout-controller.ts';
import { SidebarPanel } from '../layout/sidebar-panel.tsx';
import type { ProjectSearch } from './project-search.ts';
import { SearchFields } from './search-fields.tsx';
import styles from './search-panel.module.css';
import type { OpenFiles } from '../tabs/open-files.ts';
import { useStore } from '../value-store.ts';
import { useSearchResults } from './use-search-results.ts';

interface SearchPanelProps {
  search: ProjectSearch;
  openFiles: OpenFiles;
  layout: LayoutController;
}

/** Sidebar panel that searches and replaces in all files as the user types. */
export function SearchPanel({ search, openFiles, layout }: SearchPanelProps) {
  const field = useRef<HTMLInputElement>(null);
  useRequestedFocus(layout, 'search', () => field.current);
  const query = useStore(search.query);
  const found = useSearchResults(search, query);
  const excluded = useExcludedMatches(search, query);

  async function replace(): Promise<void> {
    try {
      const { matches, files, undo } = await search.replace(query, (path, match) =>
        excluded.has(path, match),
      );
      const title = `Replaced ${describeMatches(matches, files)}`;
      showToast({ title, action: { label: 'Undo', run: undo } });
    } catch (error) {
      showErrorToast(findErrorCode(error));
    }
  }

  const isEmpty = found === noFileSearchResults || found.count === 0;
  return (
    <SidebarPanel title="Search" layout={layout}>
      <SearchFields
        field={field}
        query={query}
        onChange={(changed) => search.query.set(changed)}
        {...(!isEmpty && { onReplace: () => void replace() })}
      />
      <output className={styles.count}>{describeResults(query, found)}</output>
      <SearchResults
        found={found}
        {...(query.replacement !== undefined && { excluded })}
        onGoTo={(location) => openFiles.goTo(location, true)}
      />
    </SidebarPanel>
  );
}

function describeResults(
  { text }: FileSearchQuery,
  { count, files, isComplete, error: problem }: FileSearchResults,
): string {
  if (text === '') return 'Search all files in this project.';
  if (problem) {
    const { message, action } = describeError(problem);
    return `${message} ${action}`;
  }
  if (count === 0) return 'No matches';
  if (!isComplete) return `Showing the first ${count} matches`;
  return describeMatches(count, files.length);
}

/** (2, 1) → "2 matches in 1 file" */
function describeMatches(matches: number, files: number): string {
  const found = matches === 1 ? '1 match' : `${matches} matches`;
  return files === 1 ? `${found} in 1 file` : `${found} in ${files} files`;
}
