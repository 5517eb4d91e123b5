import type { Prompt } from '@vitrine/editor';
import ChevronRight from 'lucide-react/icons/chevron-right';
import { useEffect, useRef } from 'react';
import '@vitrine/editor/editor.css';
import { showErrorToast } from '../ui/toast.tsx';
import { getConsoleSettings, rememberCode } from './console-settings.ts';
import styles from './console-prompt.module.css';
import { documentNonce } from './document-nonce.ts';
import type { Workspace } from './workspace.ts';

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
  let prompt: Prompt | undefined;
  let isClosed = false;
  const { wantsPrompt } = workspace;
  const focusIfWanted = () => {
    if (!prompt || !wantsPrompt.get()) return;
    wantsPrompt.set(false);
    prompt.focus();
  };
  const unsubscribe = wantsPrompt.subscribe(focusIfWanted);
  const open = async () => {
    const { createPrompt } = await import('@vitrine/editor');
    if (isClosed) return;
    const nonce = documentNonce();
    const { result } = workspace;
    prompt = createPrompt({
      parent,
      label: 'Console input',
      hint: 'Evaluate JavaScript',
      ...(nonce !== undefined && { nonce }),
      history: () => getConsoleSettings().get().history,
      names: (path) => result.completeInPage(path),
      onRefuse: showErrorToast,
      onRun(code) {
        rememberCode(code.shown);
        result.runInPage(code);
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
