import { Autocomplete } from '@base-ui/react/autocomplete';
import fuzzysort from 'fuzzysort';
import { useState } from 'react';
import type { CommandContext } from '../../commands/workspace-commands.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { onEarlyEnter } from '../../ui/early-enter.ts';
import { FileIcon } from '../tree/file-icon.tsx';
import { dirname, basename } from '../tree/file-paths.ts';
import styles from './go-to-file.module.css';
import type { OpenFiles } from '../tabs/open-files.ts';
import { getEditedPath } from '../tabs/tabs.ts';
import { useStore, type ValueStore } from '../value-store.ts';

interface GoToFileProps {
  context: CommandContext;
  isOpen: boolean;
}

/** Dialog that fuzzy-searches file paths, open files first. */
export default function GoToFile({ context: { workspace }, isOpen }: GoToFileProps) {
  const { layout, openFiles, session } = workspace;
  const close = () => layout.dialog.set(null);
  return (
    <Dialog open={isOpen} onClose={close} title="Go to file" bare>
      <FileSearch
        paths={session.paths}
        openFiles={openFiles}
        onChoose={(path) => {
          close();
          openFiles.goTo({ path, line: 0, column: 0 });
        }}
      />
    </Dialog>
  );
}

interface FileSearchProps {
  paths: ValueStore<readonly string[]>;
  openFiles: OpenFiles;
  onChoose: (path: string) => void;
}

function FileSearch({ paths, openFiles, onChoose }: FileSearchProps) {
  const [text, setText] = useState('');
  const { open } = useStore(openFiles.activeTabs);
  const openPaths = open.flatMap((tab) => getEditedPath(tab) ?? []);
  const matches = searchPaths([...new Set([...openPaths, ...useStore(paths)])], text);
  return (
    <Autocomplete.Root
      inline
      open
      mode="none"
      autoHighlight="always"
      items={matches}
      value={text}
      onValueChange={(value, { reason }) => reason === 'input-change' && setText(value)}
    >
      <Autocomplete.Input
        aria-label="File"
        placeholder="Go to file"
        spellCheck={false}
        className={styles.input}
        onKeyDown={onEarlyEnter(matches[0], onChoose)}
      />
      <Autocomplete.Empty className={styles.empty}>No matching files</Autocomplete.Empty>
      <Autocomplete.List aria-label="Matching files" className={styles.list}>
        {(path: string) => (
          <Autocomplete.Item
            key={path}
            value={path}
            aria-label={path}
            className={styles.item}
            onClick={() => onChoose(path)}
          >
            <FileIcon path={path} />
            <span className={styles.name}>{basename(path)}</span>
            <span className={styles.folder}>{dirname(path)}</span>
          </Autocomplete.Item>
        )}
      </Autocomplete.List>
    </Autocomplete.Root>
  );
}

/** Fuzzy-searches paths, best match first. An empty query returns all paths. */
function searchPaths(paths: readonly string[], typed: string): readonly string[] {
  const query = typed.trim();
  if (query === '') return paths;
  return fuzzysort.go(query, paths, { limit: 0, threshold: 0 }).map(({ target }) => target);
}
