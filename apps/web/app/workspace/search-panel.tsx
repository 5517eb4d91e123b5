import { nothingFound, type FileQuery, type Found } from '@vitrine/editor/find';
import { describeError, findErrorCode } from '@vitrine/project';
import { showErrorToast, showToast } from '../ui/toast.tsx';
import { useExcludedMatches } from './excluded-matches.ts';
import { FoundList } from './found-list.tsx';
import { Panel } from './panel.tsx';
import { replaceMatches } from './replace-matches.ts';
import { SearchFields } from './search-fields.tsx';
import styles from './search-panel.module.css';
import { useSource } from './source.ts';
import { useFound } from './use-found.ts';
import type { Workspace } from './workspace.ts';

/** Sidebar panel that searches and replaces in all files as the user types. */
export function SearchPanel({ workspace }: { workspace: Workspace }) {
  const query = useSource(workspace.fileQuery);
  const found = useFound(workspace, query);
  const excluded = useExcludedMatches(workspace, query);

  async function replace(): Promise<void> {
    try {
      const { matches, files, undo } = await replaceMatches(workspace, query, excluded);
      const title = `Replaced ${describeMatches(matches, files)}`;
      showToast({ title, action: { label: 'Undo', run: undo } });
    } catch (error) {
      showErrorToast(findErrorCode(error));
    }
  }

  const isEmpty = found === nothingFound || found.count === 0;
  return (
    <Panel title="Search" workspace={workspace}>
      <SearchFields
        query={query}
        onChange={(changed) => workspace.fileQuery.set(changed)}
        {...(!isEmpty && { onReplace: () => void replace() })}
      />
      <output className={styles.count}>{describeResults(query, found)}</output>
      <FoundList
        found={found}
        {...(query.replacement !== undefined && { excluded })}
        onGoTo={(place) => workspace.openFiles.goTo(place, true)}
      />
    </Panel>
  );
}

function describeResults({ text }: FileQuery, { count, files, isAll, problem }: Found): string {
  if (text === '') return 'Search all files in this project.';
  if (problem) {
    const { sentence, action } = describeError(problem);
    return `${sentence} ${action}`;
  }
  if (count === 0) return 'No matches';
  if (!isAll) return `Showing the first ${count} matches`;
  return describeMatches(count, files.length);
}

/** (2, 1) → "2 matches in 1 file" */
function describeMatches(matches: number, files: number): string {
  const found = matches === 1 ? '1 match' : `${matches} matches`;
  return files === 1 ? `${found} in 1 file` : `${found} in ${files} files`;
}
