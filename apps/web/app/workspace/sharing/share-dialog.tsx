import { findErrorCode } from '@vitrine/project';
import type { ReactNode } from 'react';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { CopyField } from '../../ui/copy-field.tsx';
import { loadable } from '../../ui/loadable.tsx';
import { showErrorToast } from '../../ui/toast.tsx';
import type { ProjectHistory } from '../history/project-history.ts';
import { getWorkspacePath, isMember, type ProjectIdentity } from './identity.ts';
import type { SaveActions } from '../saving/saving.ts';
import styles from './share-dialog.module.css';
import type { WorkspaceSession } from '../session.ts';
import { useStore } from '../value-store.ts';
import { VisibilitySelect } from './visibility-select.tsx';

interface ShareDialogProps {
  session: WorkspaceSession;
  actions: SaveActions;
  loadHistory: () => Promise<ProjectHistory>;
  open: boolean;
  onClose: () => void;
  onDownload: () => void;
}

const CodeLinkSection = loadable(() => import('./code-link-section.tsx'));
const PublishStatus = loadable(() => import('../history/publish-status.tsx'));

/** Share dialog: link, visibility, people and published version. A draft has to be saved first. */
export function ShareDialog(props: ShareDialogProps) {
  const { session, actions, loadHistory, open, onClose, onDownload } = props;
  const identity = useStore(session.identity);
  return (
    <Dialog open={open} onClose={onClose} title="Share" width="wide">
      <div className={styles.body}>
        {identity.kind === 'draft' ? (
          <ShareDraft session={session} actions={actions} />
        ) : (
          <ShareProject session={session} project={identity} loadHistory={loadHistory} />
        )}
      </div>
      <div className={styles.download}>
        <Button variant="quiet" size="small" onClick={onDownload}>
          Download
        </Button>
      </div>
    </Dialog>
  );
}

/** Copies a link that contains the code, and reports what happened. */
export function startCopyingCodeLink(session: WorkspaceSession): void {
  import('./code-link-section.tsx').then(
    ({ copyCodeLink }) => copyCodeLink(session),
    (error: unknown) => showErrorToast(findErrorCode(error)),
  );
}

function ShareDraft({ session, actions }: Pick<ShareDialogProps, 'session' | 'actions'>) {
  const next = session.user ? '' : ' You’ll be asked to sign in first.';
  return (
    <>
      <p className={styles.text}>
        This draft is only on this device, so it doesn’t have a link yet. To share it, save it and
        choose who can open it.
        {next}
      </p>
      <div className={styles.choices}>
        <Button busy={actions.busy} onClick={() => void actions.save('unlisted')}>
          Save as unlisted
        </Button>
        <Button variant="primary" busy={actions.busy} onClick={() => void actions.save('public')}>
          Save as public
        </Button>
      </div>
      <Links>
        <CodeLinkSection session={session} />
      </Links>
    </>
  );
}

const linkDescriptions: Readonly<Record<ProjectIdentity['visibility'], string>> = {
  private: 'Only the people below can open this link while the project is private.',
  unlisted: 'Anyone with the link can view it. It isn’t listed publicly.',
  public: 'Anyone can find and view it.',
};

const InvitationLink = loadable(() => import('../../people/invitation-link.tsx'));
const PeopleSection = loadable(() => import('../../people/people-section.tsx'));

interface ShareProjectProps {
  session: WorkspaceSession;
  project: ProjectIdentity;
  loadHistory: () => Promise<ProjectHistory>;
}

function ShareProject({ session, project, loadHistory }: ShareProjectProps) {
  const link = new URL(getWorkspacePath(project), location.origin).href;
  return (
    <>
      {project.role === 'owner' && (
        <div className={styles.visibility}>
          <VisibilitySelect session={session} labelled />
        </div>
      )}
      <Links>
        <CopyField
          key={project.visibility}
          label="Link"
          value={link}
          description={linkDescriptions[project.visibility]}
          copyLabel="Copy link"
          variant="primary"
        />
        <CodeLinkSection session={session} />
        {project.role === 'owner' && <InvitationLink session={session} project={project.id} />}
      </Links>
      {project.role !== 'reader' && <PublishStatus {...{ session, project, loadHistory }} />}
      {isMember(project) && <PeopleSection session={session} project={project} />}
    </>
  );
}

/** All links of a project that can be copied. */
function Links({ children }: { children: ReactNode }) {
  return (
    <section aria-label="Links" className={styles.links}>
      {children}
    </section>
  );
}
