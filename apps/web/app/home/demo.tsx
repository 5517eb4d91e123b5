import { findErrorCode, toTextFiles } from '@vitrine/project';
import GitFork from 'lucide-react/icons/git-fork';
import { useLayoutEffect, useState } from 'react';
import { useNavigate } from 'react-router';
import { createLazyAssetStore } from '../assets/asset-loader.ts';
import { createPackageApi } from '../packages/package-api.ts';
import { loadClient } from '../session/load-client.ts';
import { usePageSettings } from '../session/page-settings.ts';
import { useViewer } from '../session/viewer.ts';
import { createPreferencesApi } from '../preferences/preferences-api.ts';
import { defaultPreferences } from '../preferences/preferences.ts';
import { Button } from '../ui/button.tsx';
import { showErrorToast } from '../ui/toast.tsx';
import { ProjectAssets } from '../workspace/assets/project-assets.ts';
import { initialLayout } from '../workspace/layout/workspace-layout.ts';
import { createProjectApi } from '../workspace/saving/project-api.ts';
import { demoExample } from './demo-example.ts';
import styles from './demo.module.css';
import { toastNotices } from '../workspace/notices.ts';
import { createLocalDraft } from '../workspace/saving/drafts.ts';
import { FileEditorView } from '../workspace/tabs/file-editor-view.tsx';
import { editorPanelId, tabId } from '../workspace/tabs/file-tab.tsx';
import { choosePagePreviewHost } from '../workspace/preview/page-preview-host.ts';
import { openUnsavedCopy } from '../workspace/saving/unsaved-copy.ts';
import { PreviewFrame } from '../workspace/preview/preview-cell.tsx';
import { PreviewOverlay } from '../workspace/preview/preview-overlay.tsx';
import type { WorkspaceSession } from '../workspace/session.ts';
import { useStore } from '../workspace/value-store.ts';
import { TabStrip } from '../workspace/tabs/tab-strip.tsx';
import { Workspace } from '../workspace/workspace.ts';

/**
 * Live editor and preview on the home page. Nothing is stored until the visitor forks it into a
 * draft.
 */
export function Demo() {
  const workspace = useDemoWorkspace();
  const { code, layout, openFiles, packages, preferences, preview, session, tree } = workspace;
  const { active } = useStore(openFiles.activeTabs);
  const fork = useFork(session);
  useLayoutEffect(() => {
    workspace.start();
    return () => workspace.close();
  }, [workspace]);

  return (
    <section className={styles.demo} aria-label={demoExample.title}>
      <div className={styles.code}>
        <div className={styles.strip}>
          <TabStrip openFiles={openFiles} />
          <Button size="small" icon={<GitFork aria-hidden />} onClick={() => void fork()}>
            Fork
          </Button>
        </div>
        {active === undefined ? (
          <div className={styles.closed}>
            <Button size="small" onClick={() => openFiles.openInitial()}>
              Reopen files
            </Button>
          </div>
        ) : (
          <div
            id={editorPanelId()}
            role="tabpanel"
            aria-labelledby={tabId(active)}
            className={styles.editor}
          >
            <FileEditorView {...{ openFiles, preferences, session, tree }} tab={active} group={0} />
          </div>
        )}
      </div>
      <div className={styles.result}>
        <PreviewFrame mount={workspace.mountPreview} isPrerendered={false} />
        <PreviewOverlay
          {...{ layout, openFiles, packages, preview, session }}
          problems={code.problems}
          onCancelPackages={workspace.cancelPackages}
        />
      </div>
    </section>
  );
}

function useDemoWorkspace(): Workspace {
  const page = usePageSettings();
  const [workspace] = useState(() => {
    const { title } = demoExample;
    const files = toTextFiles(demoExample.files);
    return new Workspace({
      // The id belongs to no stored draft. It only names the preview.
      identity: {
        kind: 'draft',
        id: createDemoId(),
        title,
        forkedFrom: null,
        forkedFromVersion: null,
      },
      user: null,
      files,
      assets: new ProjectAssets(createLazyAssetStore({ page, userId: null, files })),
      layout: initialLayout,
      preferences: defaultPreferences,
      preferenceApi: (owner) => createPreferencesApi(() => loadClient(page), owner),
      api: createProjectApi(() => loadClient(page)),
      notices: toastNotices,
      packageApi: () => createPackageApi(),
      getClient: () => loadClient(page),
      openDocument: () => Promise.resolve(openUnsavedCopy(files)),
      choosePreviewHost: () => choosePagePreviewHost(page),
    });
  });
  return workspace;
}

function useFork(session: WorkspaceSession): () => Promise<void> {
  const viewer = useViewer();
  const navigate = useNavigate();
  return async () => {
    try {
      const { title } = demoExample;
      const id = await createLocalDraft(viewer?.id ?? null, { title, files: session.readFiles() });
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
