import { errorCatalog, findErrorCode, isErrorCode, type ErrorCode } from '@vitrine/project';
import { useEffect, useState, type ReactNode, type FormEvent } from 'react';
import { useNavigate } from 'react-router';
import { useClient } from '../session/use-client.ts';
import { useViewer } from '../session/viewer.ts';
import { Button } from '../ui/button.tsx';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { TextArea } from '../ui/text-field.tsx';
import { formatSize } from '../ui/format-size.ts';
import { ScrollList, ScrollListRow } from '../ui/lists/scroll-list.tsx';
import { Select } from '../ui/select.tsx';
import { showErrorToast } from '../ui/toast.tsx';
import { chooseFiles, type FoundFile } from '../workspace/tree/uploaded-files.ts';
import { compareNames, sortPaths } from '../workspace/tree/file-tree.ts';
import styles from './import-dialog.module.css';
import { EntryChooser } from './entry-chooser.tsx';
import { importRequest, type ImportRequest } from './import-request.ts';
import { createLinkRequest } from './link-request.ts';
import { createPastedProject } from './pasted-code.ts';
import {
  ImportTooLarge,
  type LeftOut,
  type LeftOutReason,
  type ProjectImport,
} from './imported-project.ts';
import { nameEncodings, type NameEncoding } from './name-encoding.ts';

/** A project that files are imported into. */
export interface ImportTarget {
  /**
   * Adds files, replacing those at the same paths; `replace` also removes all others. Reports the
   * result, which can be undone.
   */
  importFiles(files: readonly FoundFile[], how: 'merge' | 'replace'): Promise<void>;
}

interface ImportDialogProps {
  /** Null while the dialog is closed. */
  request: ImportRequest | null;
  project: ImportTarget | undefined;
}

/** What reading the source of a request, or opening it, has led to. */
interface Outcome {
  readonly request: ImportRequest;
  readonly imported?: ProjectImport;
  readonly failure?: ErrorCode;
  /** More or larger files than a project can have, to choose from. */
  readonly tooLarge?: ImportTooLarge;
}

/** Imports files, pasted code or a link. Nothing runs before the user has seen what it is, and opens it. */
export function ImportDialog({ request, project }: ImportDialogProps) {
  // Keeps its content while it closes.
  const [shown, setShown] = useState<ImportRequest>({});
  if (request && request !== shown) setShown(request);
  const isOpen = request !== null;
  const [outcome, setOutcome] = useOutcome(shown, isOpen);
  const [isOpening, setOpening] = useState(false);
  const navigate = useNavigate();
  const owner = useViewer()?.id ?? null;
  const { imported, failure, tooLarge } = outcome?.request === shown ? outcome : {};
  const { source } = shown;
  const close = () => importRequest.set(null);

  async function openDraft(draft: { title: string; files: readonly FoundFile[] }): Promise<void> {
    setOpening(true);
    try {
      const { createImportedDraft } = await import('./open-draft.ts');
      const address = await createImportedDraft(owner, draft);
      // Canceled meanwhile: the draft is in the list of drafts.
      if (importRequest.get() === null) return;
      close();
      await navigate(address);
    } catch (error) {
      const code = findErrorCode(error);
      const failed = { request: shown, ...(imported && { imported }), failure: code };
      // A drop may have started another import meanwhile.
      setOutcome((current) =>
        current === undefined || current.request === shown ? failed : current,
      );
    } finally {
      setOpening(false);
    }
  }

  let title = 'Import';
  let description = 'Open a zip, a folder, pasted code, or a public link as a project.';
  let content: ReactNode = (
    <SourceForm text={shown.text ?? ''} isOpening={isOpening} onOpen={openDraft} onCancel={close} />
  );
  if (imported) {
    const { source: name, from, files } = imported;
    title = name === '' ? 'Import files' : `Import ${name}`;
    description = `${from === undefined ? '' : `From ${from}. `}${describeFiles(files)}`;
    content = (
      <Summary
        imported={imported}
        hasProject={project !== undefined}
        onEncoding={
          source && ((encoding) => importRequest.set({ source: { ...source, encoding } }))
        }
      >
        <ImportButtons
          imported={imported}
          project={project}
          isOpening={isOpening}
          onOpen={() => void openDraft(imported)}
          onClose={close}
        />
      </Summary>
    );
  } else if (tooLarge) {
    title = tooLarge.source === '' ? 'Import files' : `Import ${tooLarge.source}`;
    description = `${errorCatalog[tooLarge.code].message} Choose the folders and files to import.`;
    content = (
      <EntryChooser entries={tooLarge.entries}>
        {(chosen) => (
          <DialogActions>
            <Button onClick={close}>Cancel</Button>
            <Button
              variant="primary"
              disabled={!chosen}
              onClick={() =>
                chosen &&
                importRequest.set({ read: (signal) => tooLarge.importSome(chosen, signal) })
              }
            >
              Continue
            </Button>
          </DialogActions>
        )}
      </EntryChooser>
    );
  } else if ((shown.source ?? shown.read) && failure === undefined) {
    description = '';
    content = (
      <>
        <output className={styles.reading}>Reading files…</output>
        {shown.read && (
          <DialogActions>
            <Button onClick={close}>Cancel</Button>
          </DialogActions>
        )}
      </>
    );
  }
  return (
    <Dialog open={request !== null} onClose={close} title={title} description={description}>
      <div className={styles.content}>
        {failure !== undefined && !tooLarge && <ErrorNotice code={failure} />}
        {content}
      </div>
    </Dialog>
  );
}

/** Reads the source of a request while the dialog is open. */
function useOutcome(shown: ImportRequest, isOpen: boolean) {
  const [outcome, setOutcome] = useState<Outcome>();
  useEffect(() => {
    const { source, read } = shown;
    // Closing the dialog stops reading.
    if (!isOpen || (!source && !read)) return;
    const abort = new AbortController();
    const start = async () => {
      const { readImport } = await import('./project-import.ts');
      return source ? readImport(source, abort.signal) : read?.(abort.signal);
    };
    start().then(
      (imported) =>
        abort.signal.aborted || setOutcome({ request: shown, ...(imported && { imported }) }),
      (error: unknown) => abort.signal.aborted || setOutcome(createFailure(shown, error)),
    );
    return () => abort.abort();
  }, [shown, isOpen]);
  return [outcome, setOutcome] as const;
}

function createFailure(request: ImportRequest, error: unknown): Outcome {
  const failure = findErrorCode(error);
  return { request, failure, ...(error instanceof ImportTooLarge && { tooLarge: error }) };
}

interface ImportButtonsProps {
  imported: ProjectImport;
  project: ImportTarget | undefined;
  isOpening: boolean;
  /** Opens a draft. */
  onOpen: () => void;
  onClose: () => void;
}

/** Opens what was read as a project of its own, or imports it into the one that is open. */
function ImportButtons({ imported, project, isOpening, onOpen, onClose }: ImportButtonsProps) {
  return (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button variant={project ? 'secondary' : 'primary'} busy={isOpening} onClick={onOpen}>
        {project ? 'New project' : 'Open'}
      </Button>
      {project &&
        (['replace', 'merge'] as const).map((how) => (
          <Button
            key={how}
            variant={how === 'merge' ? 'primary' : 'secondary'}
            onClick={() => {
              onClose();
              void project.importFiles(imported.files, how);
            }}
          >
            {how === 'merge' ? 'Merge' : 'Replace project’s files'}
          </Button>
        ))}
    </>
  );
}

interface SourceFormProps {
  /** What the user pasted before. */
  text: string;
  isOpening: boolean;
  onOpen: (draft: { title: string; files: readonly FoundFile[] }) => Promise<void>;
  onCancel: () => void;
}

/** Chooses what to import. Files are dropped anywhere in the window. */
function SourceForm({ text, isOpening, onOpen, onCancel }: SourceFormProps) {
  const [code, setCode] = useState(text);
  const link = parseLink(code);
  const pasted = link ? undefined : createPastedProject(code);
  const getClient = useClient();

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (link) importRequest.set(createLinkRequest(link, getClient, code));
    if (!pasted) return;
    const files = Array.from(pasted.files, ([path, text]) => ({
      path,
      file: new File([text], path),
    }));
    void onOpen({ title: 'Untitled project', files });
  }

  return (
    <form onSubmit={submit} className={styles.content}>
      <div className={styles.drop}>
        <p>Drop a zip or a folder here</p>
        <div className={styles.choices}>
          <Button onClick={() => void chooseSource({ multiple: true })}>Choose files</Button>
          <Button onClick={() => void chooseSource({ multiple: true, isFolder: true })}>
            Choose folder
          </Button>
        </div>
      </div>
      <div className={styles.code}>
        <TextArea
          label="Paste code or a link"
          rows={6}
          spellCheck={false}
          autoCapitalize="off"
          value={code}
          onChange={({ target }) => setCode(target.value)}
          description={
            link ? `Imports from ${link.host}.` : pasted && `Opens as ${pasted.language}.`
          }
        />
      </div>
      <DialogActions>
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" variant="primary" busy={isOpening} disabled={!pasted && !link}>
          Open
        </Button>
      </DialogActions>
    </form>
  );
}

/** The only link in a text. */
function parseLink(text: string): URL | undefined {
  const url = /^\s*https?:\/\/\S+\s*$/.test(text) ? URL.parse(text.trim()) : null;
  return url ?? undefined;
}

async function chooseSource(options: Parameters<typeof chooseFiles>[0]): Promise<void> {
  const found = await chooseFiles(options);
  if (found.length === 0) return;
  importRequest.set({ source: { entries: [], files: found.map(({ file }) => file) } });
}

interface SummaryProps {
  imported: ProjectImport;
  hasProject: boolean;
  /** Reads the zip again, with its file names in this encoding. */
  onEncoding: ((encoding: NameEncoding) => void) | undefined;
  children: ReactNode;
}

/** What would be imported, what wouldn't and why, and the buttons to go on. */
function Summary({ imported, hasProject, onEncoding, children }: SummaryProps) {
  const { leftOut, encoding, framework } = imported;
  const count = leftOut.reduce((sum, item) => sum + (item.count ?? 1), 0);
  const files = new Map(imported.files.map(({ path, file }) => [path, file]));
  const rows = sortPaths([...files.keys()]).map((path) => {
    const file = files.get(path);
    return { path, note: formatSize(file?.size ?? 0), ...(file && { file }) };
  });
  return (
    <>
      {framework && (
        <p className={styles.framework}>
          {framework.name} doesn’t run here: its pages come from a server or its own build. To see
          them, build a static site {framework.how}.
        </p>
      )}
      {encoding && onEncoding && (
        <Select
          label="Encoding of file names"
          value={encoding}
          options={nameEncodings}
          onChange={onEncoding}
        />
      )}
      <FileList label="Files to import" rows={rows} />
      {leftOut.length > 0 && (
        <div>
          <h3 className={styles.heading}>Skipped: {formatCount(count)}</h3>
          <FileList
            label="Skipped"
            rows={leftOut
              .toSorted((a, b) => compareNames(a.path, b.path))
              .map((item) => ({ path: item.path, note: describeLeftOut(item) }))}
          />
        </div>
      )}
      {hasProject && (
        <p className={styles.note}>
          Merge replaces files with the same name and keeps the rest. You can undo either.
        </p>
      )}
      <DialogActions>{children}</DialogActions>
    </>
  );
}

/** Rows of a list that are shown. A zip can have tens of thousands of names. */
const maxRows = 200;

interface FileListProps {
  label: string;
  rows: readonly RowProps[];
}

function FileList({ label, rows }: FileListProps) {
  return (
    <ScrollList label={label}>
      {rows.slice(0, maxRows).map(({ path, note, file }, index) => (
        <li key={index}>
          {file ? (
            <FileRow path={path} note={note} file={file} />
          ) : (
            <ScrollListRow name={path} note={note} />
          )}
        </li>
      ))}
      {rows.length > maxRows && <li>and {(rows.length - maxRows).toLocaleString('en')} more</li>}
    </ScrollList>
  );
}

interface RowProps {
  path: string;
  note: string;
  /** Its text can be shown. */
  file?: File;
}

/** Characters of a file that are shown. */
const maxShown = 20_000;

/** A row that opens to show the file's text. */
function FileRow({ path, note, file }: RowProps & { file: File }) {
  const [text, setText] = useState<string>();

  async function read(): Promise<void> {
    try {
      const { classifyContent } = await import('../workspace/assets/read-files.ts');
      const content = classifyContent(path, new Uint8Array(await file.arrayBuffer()));
      if (typeof content !== 'string') return setText('This file isn’t text.');
      setText(content.length > maxShown ? `${content.slice(0, maxShown)}…` : content);
    } catch (error) {
      showErrorToast(findErrorCode(error));
    }
  }

  return (
    <details className={styles.file} onToggle={() => text ?? void read()}>
      <summary>
        <ScrollListRow name={path} note={note} />
      </summary>
      <pre className={styles.source}>{text}</pre>
    </details>
  );
}

const reasons: Readonly<Record<Exclude<LeftOutReason, ErrorCode>, string>> = {
  dependencies: 'Installed packages',
  repository: 'Version control',
  build: 'Build output',
  system: 'System files',
  lockfile: 'Lockfile',
  link: 'Symbolic link',
  duplicate: 'Same name as another file',
  outside: 'Outside the page’s folder',
  unsupported: 'Not supported',
  settings: 'Another editor’s settings',
  compiled: 'Compiled version imported instead',
  server: 'Server-side code',
  binary: 'Links can only contain text files',
};

/** "Installed packages, 3,201 files" */
function describeLeftOut({ reason, count }: LeftOut): string {
  // The catalog's sentence without its period.
  const text = isErrorCode(reason) ? errorCatalog[reason].message.slice(0, -1) : reasons[reason];
  return count === undefined ? text : `${text}, ${formatCount(count)}`;
}

/** "12 files, 3.4 kB" */
function describeFiles(files: readonly FoundFile[]): string {
  const size = files.reduce((sum, { file }) => sum + file.size, 0);
  return `${formatCount(files.length)}, ${formatSize(size)}`;
}

function formatCount(count: number): string {
  return count === 1 ? '1 file' : `${count.toLocaleString('en')} files`;
}
