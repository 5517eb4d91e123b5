import type { ConsoleInput } from '@vitrine/editor';
import ChevronRight from 'lucide-react/icons/chevron-right';
import { loadWithRetries } from '@vitrine/project/retry-loading';
import { useEffect, useRef } from 'react';
import '@vitrine/editor/editor.css';
import { showErrorToast } from '../../ui/toast.tsx';
import { getConsoleSettings, addToHistory } from './console-settings.ts';
import styles from './console-prompt.module.css';
import type { PreviewController } from '../preview/preview-controller.ts';
import type { LayoutController } from '../layout/layout-controller.ts';
import { findDocumentNonce } from '../bootstrap/document-nonce.ts';

interface ConsolePromptProps {
  preview: PreviewController;
  layout: LayoutController;
}

/** Console input: evaluates JavaScript in the page. */
export function ConsolePrompt({ preview, layout }: ConsolePromptProps) {
  const parent = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = parent.current;
    if (!element) return;
    const input = mountInput(element, preview, layout);
    return () => input.close();
  }, [preview, layout]);
  return (
    <div className={styles.prompt}>
      <ChevronRight aria-hidden className={styles.chevron} />
      <div ref={parent} className={styles.input} />
    </div>
  );
}

/** Mounts the input. It is part of the editor's chunk, which is usually loaded already. */
function mountInput(
  parent: HTMLElement,
  preview: PreviewController,
  { requestedFocus }: LayoutController,
): { close(): void } {
  let prompt: ConsoleInput | undefined;
  let isClosed = false;
  const focusIfWanted = () => {
    if (!prompt || requestedFocus.get() !== 'console') return;
    requestedFocus.set(null);
    prompt.focus();
  };
  const unsubscribe = requestedFocus.subscribe(focusIfWanted);
  const open = async () => {
    const { createConsoleInput } = await loadWithRetries(() => import('@vitrine/editor'));
    if (isClosed) return;
    const nonce = findDocumentNonce();
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
