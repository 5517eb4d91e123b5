import Play from 'lucide-react/icons/play';
import Save from 'lucide-react/icons/save';
import GitFork from 'lucide-react/icons/git-fork';
import Share2 from 'lucide-react/icons/share-2';
import Square from 'lucide-react/icons/square';
import { Link, useLocation } from 'react-router';
import { withNextPath } from '../../session/next-path.ts';
import { PresenceList } from '../../collaboration/presence-list.tsx';
import { getViewerName, useAvatarUrl, useViewer } from '../../session/viewer.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { AccountMenu } from '../../ui/page/account-menu.tsx';
import { Logo } from '../../ui/page/logo.tsx';
import styles from './top-bar.module.css';
import { canSave, type ProjectIdentity } from '../sharing/identity.ts';
import { SaveIndicator } from '../saving/save-state.tsx';
import type { SaveActions } from '../saving/saving.ts';
import { ShareDialog } from '../sharing/share-dialog.tsx';
import { useStore } from '../value-store.ts';
import { Title } from '../sharing/title.tsx';
import { MobileViewTabs } from './mobile-view-tabs.tsx';
import { VisibilitySelect } from '../sharing/visibility-select.tsx';
import { WorkspaceMenu } from './workspace-menu.tsx';
import type { ProjectHistory } from '../history/project-history.ts';
import type { PreviewController } from '../preview/preview-controller.ts';
import type { WorkspaceSession } from '../session.ts';
import type { Workspace } from '../workspace.ts';
import type { LayoutController } from './layout-controller.ts';

/** Top bar: title, owner, save state and actions. */
export function TopBar({ workspace, actions }: { workspace: Workspace; actions: SaveActions }) {
  const { layout, openFiles, preferences, preview, session } = workspace;
  const identity = useStore(session.identity);
  const isOwner = identity.kind === 'project' && identity.role === 'owner';
  return (
    <header className={styles.bar}>
      <Link to="/" className={styles.home} aria-label="Vitrine, home">
        <Logo />
      </Link>
      <Title session={session} />
      {identity.kind === 'project' && <Author identity={identity} />}
      {isOwner && <VisibilitySelect session={session} />}
      <SaveIndicator session={session} layout={layout} actions={actions} />
      <MobileViewTabs openFiles={openFiles} />
      <PresenceList session={session} />
      <div className={styles.actions}>
        <RunButton preview={preview} onRun={workspace.run} />
        {identity.kind === 'draft' ? (
          <Button
            size="small"
            variant="primary"
            className={styles.main}
            icon={<Save aria-hidden />}
            busy={actions.busy}
            onClick={() => void actions.save()}
          >
            Save
          </Button>
        ) : (
          <Button
            size="small"
            variant={canSave(identity) ? 'secondary' : 'primary'}
            icon={<GitFork aria-hidden />}
            busy={actions.busy}
            // The second click of a double click on Save, which this button replaces, has detail 2.
            onClick={({ detail }) => detail < 2 && void actions.fork()}
          >
            Fork
          </Button>
        )}
        <ShareButton {...{ session, layout, actions }} loadHistory={workspace.loadHistory} />
        <WorkspaceMenu
          {...{ session, layout, openFiles, preferences }}
          onUpload={() => workspace.tree.upload('')}
          onFormat={workspace.format}
        />
      </div>
      <Account />
    </header>
  );
}

/** The project's owner, with a link to the profile, and one's own role if it's that of a viewer. */
function Author({ identity: { owner, ownerAvatarPath, role } }: { identity: ProjectIdentity }) {
  const picture = useAvatarUrl({ avatarPath: ownerAvatarPath });
  return (
    <span className={styles.owner} data-own={role === 'owner' || undefined}>
      <Link to={`/@${owner}`} className={styles.author}>
        <Avatar name={owner} picture={picture} size={20} />
        <span className={styles.authorName}>{owner}</span>
      </Link>
      {role === 'viewer' && <span className={styles.role}>Viewer</span>}
    </span>
  );
}

function RunButton({ preview, onRun }: { preview: PreviewController; onRun: () => void }) {
  const isUnresponsive = useStore(preview.state).status === 'unresponsive';
  if (isUnresponsive) {
    return (
      <Button
        size="small"
        variant="danger"
        icon={<Square aria-hidden />}
        onClick={() => preview.stop()}
      >
        Stop
      </Button>
    );
  }
  return (
    <Button size="small" icon={<Play aria-hidden />} onClick={onRun}>
      Run
    </Button>
  );
}

interface ShareButtonProps {
  session: WorkspaceSession;
  layout: LayoutController;
  actions: SaveActions;
  loadHistory: () => Promise<ProjectHistory>;
}

function ShareButton({ session, layout: { dialog }, actions, loadHistory }: ShareButtonProps) {
  const isOpen = useStore(dialog) === 'share';
  return (
    <>
      <Button size="small" icon={<Share2 aria-hidden />} onClick={() => dialog.set('share')}>
        Share
      </Button>
      <ShareDialog
        session={session}
        actions={actions}
        loadHistory={loadHistory}
        open={isOpen}
        onClose={() => dialog.set(null)}
        onDownload={() => dialog.set('download')}
      />
    </>
  );
}

/** The signed-in user's menu, or a sign-in link for visitors. */
function Account() {
  const viewer = useViewer();
  const { pathname, search } = useLocation();
  return (
    <div className={styles.account}>
      {viewer ? (
        <AccountMenu viewer={viewer} label={`Account: ${getViewerName(viewer)}`} />
      ) : (
        <ButtonLink
          to={withNextPath('/auth/sign-in', pathname + search)}
          size="small"
          variant="quiet"
        >
          Sign in
        </ButtonLink>
      )}
    </div>
  );
}
