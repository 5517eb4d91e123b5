import { useDeferredValue, useEffect, useMemo, useRef } from 'react';
import { findInFiles, type FileQuery, type Found } from './find-in-files.ts';
import { Panel } from './panel.tsx';
import styles from './search-panel.module.css';
import { useSource } from './source.ts';
import type { Workspace } from './workspace.ts';

/** Finds a text in all files of the project, as it is typed. */
export function SearchPanel({ workspace }: { workspace: Workspace }) {
  const query = useSource(workspace.fileQuery);
  const found = useFound(workspace, query);
  return (
    <Panel title="Search" workspace={workspace}>
      <QueryFields query={query} onChange={(changed) => workspace.fileQuery.set(changed)} />
      <output className={styles.count}>{countWords(query, found)}</output>
      <FoundList found={found} workspace={workspace} />
    </Panel>
  );
}

/** Typing goes first, here and in the editor. */
function useFound(workspace: Workspace, query: FileQuery): Found {
  const texts = useDeferredValue(useSource(workspace.texts));
  const asked = useDeferredValue(query);
  return useMemo(() => findInFiles(texts, asked), [texts, asked]);
}

interface QueryFieldsProps {
  query: FileQuery;
  onChange: (query: FileQuery) => void;
}

function QueryFields({ query, onChange }: QueryFieldsProps) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    // Somebody has opened it; a page that comes with it open leaves the keyboard alone.
    if (document.activeElement !== document.body) field.current?.select();
  }, []);
  return (
    <div className={styles.fields}>
      <input
        ref={field}
        type="search"
        aria-label="Search in files"
        placeholder="Search in files"
        spellCheck={false}
        value={query.text}
        onChange={({ target }) => onChange({ ...query, text: target.value })}
      />
      <label>
        <input
          type="checkbox"
          checked={query.matchesCase}
          onChange={({ target }) => onChange({ ...query, matchesCase: target.checked })}
        />
        Match case
      </label>
      <label>
        <input
          type="checkbox"
          checked={query.wholeWord}
          onChange={({ target }) => onChange({ ...query, wholeWord: target.checked })}
        />
        Whole word
      </label>
    </div>
  );
}

function countWords({ text }: FileQuery, { count, files, isAll }: Found): string {
  if (text === '') return 'Type what to look for in all files.';
  if (count === 0) return 'No matches';
  if (!isAll) return `The first ${count} matches`;
  const matches = count === 1 ? '1 match' : `${count} matches`;
  return files.length === 1 ? `${matches} in 1 file` : `${matches} in ${files.length} files`;
}

function FoundList({ found, workspace }: { found: Found; workspace: Workspace }) {
  return (
    <div className={styles.found}>
      {found.files.map(({ path, matches }) => (
        <section key={path} aria-label={path}>
          <h3 className={styles.path}>{path}</h3>
          <ul>
            {matches.map(({ line, column, before, match, after }) => (
              <li key={`${line}:${column}`}>
                <button
                  type="button"
                  className={styles.match}
                  onClick={() => workspace.openFiles.goTo({ path, line, column }, true)}
                >
                  <span className={styles.line}>{line}</span>
                  <span className={styles.text}>
                    {before}
                    <mark>{match}</mark>
                    {after}
                  </span>
                </button>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}
