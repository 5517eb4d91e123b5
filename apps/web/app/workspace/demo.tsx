import { findErrorCode } from '@vitrine/project';
import GitFork from 'lucide-react/icons/git-fork';
import { useLayoutEffect, useState } from 'react';
import { useNavigate } from 'react-router';
import { createPackageCalls } from '../packages/package-calls.ts';
import { loadClient } from '../session/load-client.ts';
import { usePageSettings } from '../session/page-settings.ts';
import { useViewer } from '../session/viewer.ts';
import { createPreferenceCalls } from '../preferences/preference-calls.ts';
import { initialPreferences } from '../preferences/preferences.ts';
import { Button } from '../ui/button.tsx';
import { showErrorToast } from '../ui/toast.tsx';
import { initialArrangement } from './arrangement.ts';
import { createCalls } from './calls.ts';
import { demoExample } from './demo-example.ts';
import styles from './demo.module.css';
import { makeDraft } from './drafts.ts';
import { EditorPane } from './editor-pane.tsx';
import { openFileId, tabId } from './file-tab.tsx';
import { choosePagePlace } from './preview-place.ts';
import { openReading } from './reading.ts';
import { ResultFrame } from './result-cell.tsx';
import { ResultOverlay } from './result-overlay.tsx';
import { useSource } from './source.ts';
import { TabStrip } from './tab-strip.tsx';
import { Workspace } from './workspace.ts';

/**
 * Live editor and preview on the home page. Nothing is stored until the visitor forks it into a
 * draft.
 */
export function Demo() {
  const workspace = useDemoWorkspace();
  const { active } = useSource(workspace.openFiles.tabs);
  const fork = useFork(workspace);
  useLayoutEffect(() => {
    workspace.start();
    return () => workspace.close();
  }, [workspace]);

  return (
    <section className={styles.demo} aria-label={demoExample.title}>
      <div className={styles.code}>
        <div className={styles.strip}>
          <TabStrip workspace={workspace} />
          <Button size="small" icon={<GitFork aria-hidden />} onClick={() => void fork()}>
            Fork
          </Button>
        </div>
        {active !== undefined && (
          <div
            id={openFileId()}
            role="tabpanel"
            aria-labelledby={tabId(active)}
            className={styles.editor}
          >
            <EditorPane workspace={workspace} path={active} group={0} />
          </div>
        )}
      </div>
      <div className={styles.result}>
        <ResultFrame workspace={workspace} />
        <ResultOverlay workspace={workspace} />
      </div>
    </section>
  );
}

function useDemoWorkspace(): Workspace {
  const page = usePageSettings();
  const [workspace] = useState(() => {
    const { title, files } = demoExample;
    return new Workspace({
      // The id belongs to no stored draft. It only names the preview.
      identity: { kind: 'draft', id: createDemoId(), title, forkedFrom: null },
      user: null,
      files,
      arrangement: initialArrangement,
      preferences: initialPreferences,
      preferenceCalls: (owner) => createPreferenceCalls(() => loadClient(page), owner),
      calls: () => createCalls(() => loadClient(page)),
      packageCalls: () => createPackageCalls(),
      openText: () => Promise.resolve(openReading(files)),
      place: () => choosePagePlace(page),
    });
  });
  return workspace;
}

function useFork(workspace: Workspace): () => Promise<void> {
  const viewer = useViewer();
  const navigate = useNavigate();
  return async () => {
    try {
      const { title } = demoExample;
      const id = await makeDraft(viewer?.id ?? null, { title, files: workspace.files() });
      await navigate(`/draft/${id}`);
    } catch (error) {
      showErrorToast(findErrorCode(error));
    }
  };
}

function createDemoId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
