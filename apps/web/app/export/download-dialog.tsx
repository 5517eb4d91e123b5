import { findErrorCode, type ErrorCode } from '@vitrine/project';
import { useEffect, useRef, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { copyText } from '../ui/copy-text.ts';
import { Dialog } from '../ui/dialog.tsx';
import { downloadFile, toFileName } from '../ui/download.ts';
import { ErrorNotice } from '../ui/error-notice.tsx';
import styles from './download-dialog.module.css';
import type { ExportedProject } from './exported-project.ts';

interface DownloadDialogProps {
  open: boolean;
  onClose: () => void;
  /** Reads the project as it is now. */
  readProject: () => Promise<ExportedProject>;
}

interface ExportOptions {
  readonly signal: AbortSignal;
  /** Reports what is being done, as a sentence. */
  readonly onProgress: (progress: string) => void;
}

interface Format {
  readonly name: string;
  readonly description: string;
  /** Label of the button. */
  readonly action: string;
  /** Exports the project. Resolves to sentences about the result. */
  export(project: ExportedProject, options: ExportOptions): Promise<readonly string[]>;
}

const formats: readonly Format[] = [
  {
    name: 'Zip',
    description: 'All project files, unchanged.',
    action: 'Download zip',
    async export({ title, files, loadAsset }, { signal }) {
      const { createZip } = await import('../workspace/tree/download-files.ts');
      const zip = await createZip({ files, isProject: true, loadAsset });
      signal.throwIfAborted();
      download(zip, title, 'zip');
      return [];
    },
  },
  {
    name: 'HTML file',
    description:
      'A single self-contained page. It opens offline, and you can import it as a project again.',
    action: 'Download HTML file',
    async export(project, { signal, onProgress }) {
      const { createHtmlFile } = await import('./html-file.ts');
      const { html, missing } = await createHtmlFile(project, {
        signal,
        onProgress: ({ step, done, total }) =>
          onProgress(`${steps[step]}${total > 1 && done > 0 ? `: ${done} of ${total}` : ''}…`),
      });
      signal.throwIfAborted();
      download(html, project.title, 'html');
      const parts = new Set(missing.map(describePackage));
      return Array.from(parts, (part) => `Not included: ${part}`);
    },
  },
  {
    name: 'Vite project',
    description: 'A zip for your own editor. Run npm install, then npm run dev.',
    action: 'Download Vite project',
    async export({ title, files, loadAsset }, { signal }) {
      const [{ createViteProject }, { createZip }] = await Promise.all([
        import('./vite-project.ts'),
        import('../workspace/tree/download-files.ts'),
      ]);
      const folder = toFileName(title, 'project');
      const project = createViteProject(title, files);
      const zip = await createZip({ files: project, isProject: true, folder, loadAsset });
      signal.throwIfAborted();
      download(zip, title, 'zip');
      return [];
    },
  },
  {
    name: 'Markdown',
    description: 'Text files as code blocks, to paste into a chat, issue, or gist.',
    action: 'Copy as Markdown',
    async export({ title, files }) {
      const { formatMarkdown } = await import('./markdown.ts');
      const { text, leftOut } = formatMarkdown(title, files);
      await copyText(text);
      const left = leftOut.map((path) => `Not included: ${path}`);
      return ['Copied to the clipboard.', ...left];
    },
  },
];

const steps = {
  compiling: 'Compiling',
  packages: 'Adding packages',
  writing: 'Writing pages',
} as const;

/** What has happened to the export that was started last. */
type State =
  | { readonly status: 'idle' }
  | { readonly status: 'running'; readonly format: Format; readonly progress: string }
  | { readonly status: 'done'; readonly format: Format; readonly notes: readonly string[] }
  | { readonly status: 'failed'; readonly code: ErrorCode };

/** Downloads or copies a project in one of several formats. Closing it cancels what is running. */
export default function DownloadDialog({ open, onClose, readProject }: DownloadDialogProps) {
  const [state, setState] = useState<State>({ status: 'idle' });
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  async function start(format: Format): Promise<void> {
    running.current?.abort();
    const abort = new AbortController();
    const { signal } = abort;
    running.current = abort;
    const update = (next: State) => signal.aborted || setState(next);
    update({ status: 'running', format, progress: 'Preparing…' });
    try {
      const notes = await format.export(await readProject(), {
        signal,
        onProgress: (progress) => update({ status: 'running', format, progress }),
      });
      update({ status: 'done', format, notes });
    } catch (error) {
      update({ status: 'failed', code: findErrorCode(error) });
    }
  }

  function cancel(): void {
    running.current?.abort();
    setState({ status: 'idle' });
  }

  return (
    <Dialog
      open={open}
      onClose={() => {
        cancel();
        onClose();
      }}
      title="Download"
    >
      <ul className={styles.formats}>
        {formats.map((format) => (
          <li key={format.name} className={styles.format}>
            <div className={styles.about}>
              <h3 className={styles.name}>{format.name}</h3>
              <p className={styles.description}>{format.description}</p>
            </div>
            <Button
              busy={state.status === 'running' && state.format === format}
              disabled={state.status === 'running' && state.format !== format}
              onClick={() => void start(format)}
            >
              {format.action}
            </Button>
          </li>
        ))}
      </ul>
      <output className={styles.state} aria-label="Download">
        {state.status === 'running' && (
          <>
            <span>{state.progress}</span>
            <Button size="small" onClick={cancel}>
              Cancel
            </Button>
          </>
        )}
        {state.status === 'done' &&
          (state.notes.length > 0 ? (
            <ul>
              {state.notes.slice(0, maxNotes).map((note) => (
                <li key={note}>{note}</li>
              ))}
              {state.notes.length > maxNotes && <li>and {state.notes.length - maxNotes} more</li>}
            </ul>
          ) : (
            `${state.format.name} downloaded.`
          ))}
      </output>
      {state.status === 'failed' && <ErrorNotice code={state.code} />}
    </Dialog>
  );
}

const maxNotes = 20;

function download(file: Blob, title: string, extension: string): void {
  downloadFile(file, `${toFileName(title, 'project')}.${extension}`);
}

/** "/npm/mermaid@11.0.0~k2jq…/-chunk/x.js" → "a part of mermaid@11.0.0" */
function describePackage(path: string): string {
  const [, name] = /^\/npm\/(.+?@[^~/]+)~/.exec(path) ?? [];
  return name === undefined ? path : `a part of ${name}`;
}
