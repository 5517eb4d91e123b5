import type { ConsoleInput } from '@vitrine/editor';
import ChevronRight from 'lucide-react/icons/chevron-right';
import { useEffect, useRef } from 'react';
import '@vitrine/editor/editor.css';
import { showErrorToast } from '../../ui/toast.tsx';
import { getConsoleSettings, addToHistory } from './console-settings.ts';
import styles from './console-prompt.module.css';
import { findDocumentNonce } from '../bootstrap/document-nonce.ts';
import type { Workspace } from '../workspace.ts';

/** Console input: evaluates JavaScript in the page. */
export function ConsolePrompt({ workspace }: { workspace: Workspace }) {
  const parent = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = parent.current;
    if (!element) return;
    const input = mountInput(element, workspace);
    return () => input.close();
  }, [workspace]);
  return (
    <div className={styles.prompt}>
      <ChevronRight aria-hidden className={styles.chevron} />
      <div ref={parent} className={styles.input} />
    </div>
  );
}

/** Mounts the input. It is part of the editor's chunk, which is usually loaded already. */
function mountInput(parent: HTMLElement, workspace: Workspace): { close(): void } {
  let prompt: ConsoleInput | undefined;
  let isClosed = false;
  const { panelFocus } = workspace;
  const focusIfWanted = () => {
    if (!prompt || panelFocus.get() !== 'console') return;
    panelFocus.set(null);
    prompt.focus();
  };
  const unsubscribe = panelFocus.subscribe(focusIfWanted);
  const open = async () => {
    const { createConsoleInput } = await import('@vitrine/editor');
    if (isClosed) return;
    const nonce = findDocumentNonce();
    const { preview } = workspace;
    prompt = createConsoleInput({
      parent,
      label: 'Console input',
      placeholder: 'Evaluate JavaScript',
      ...(nonce !== undefined && { nonce }),
      history: () => getConsoleSettings().get().history,
      listProperties: (path) => preview.completeInPage(path),
      onReject: showErrorToast,
      onRun(code) {
        addToHistory(code.shown);
        preview.runInPage(code);
      },
    });
    focusIfWanted();
  };
  void open();
  return {
    close() {
      isClosed = true;
      unsubscribe();
      prompt?.close();
    },
  };
}
