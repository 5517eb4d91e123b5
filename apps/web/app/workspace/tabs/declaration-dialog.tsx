import { useEffect, useRef } from 'react';
import { Dialog } from '../../ui/dialog.tsx';
import styles from './declaration-dialog.module.css';
import { findDocumentNonce } from '../bootstrap/document-nonce.ts';
import type { DeclarationSource } from '../code/project-language.ts';
import { useStore } from '../value-store.ts';
import type { Workspace } from '../workspace.ts';

/** Read-only editor with a package's type declarations. Go to definition works from here too. */
export function DeclarationDialog({ workspace }: { workspace: Workspace }) {
  const declaration = useStore(workspace.language.declaration);
  const close = () => workspace.language.declaration.set(null);
  return (
    <Dialog
      open={declaration !== null}
      onClose={close}
      title={declaration ? titleOf(declaration.path) : ''}
      description="Type declarations from a package (read-only)"
      width="wide"
    >
      {declaration && <DeclarationText workspace={workspace} declaration={declaration} />}
    </Dialog>
  );
}

interface DeclarationProps {
  workspace: Workspace;
  declaration: DeclarationSource;
}

function DeclarationText({ workspace, declaration }: DeclarationProps) {
  const parent = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = parent.current;
    if (!element) return;
    const mounted = mountDeclaration(element, declaration, workspace);
    return () => void mounted.then((editor) => editor.close());
  }, [declaration, workspace]);
  return <div ref={parent} className={styles.text} />;
}

async function mountDeclaration(
  parent: HTMLElement,
  declaration: DeclarationSource,
  workspace: Workspace,
) {
  const { path, text: content, line, column } = declaration;
  const [{ createEditor, loadLanguage }, Y] = await Promise.all([
    import('@vitrine/editor'),
    import('yjs'),
  ]);
  await loadLanguage(path);
  const text = new Y.Doc().getText();
  text.insert(0, content);
  const nonce = findDocumentNonce();
  const editor = createEditor({
    parent,
    path,
    text,
    undo: new Y.UndoManager(text),
    readOnly: true,
    ...(nonce !== undefined && { nonce }),
  });
  editor.setServices(workspace.language.service.get() ?? []);
  editor.goTo(line, column);
  return editor;
}

/** "node_modules/@types/react/index.d.ts" → "@types/react/index.d.ts" */
function titleOf(path: string): string {
  return path.replace(/^(?:node_modules|__vitrine\/lib)\//, '');
}
