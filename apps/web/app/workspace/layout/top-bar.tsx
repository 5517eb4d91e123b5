import Play from 'lucide-react/icons/play';
import Save from 'lucide-react/icons/save';
import GitFork from 'lucide-react/icons/git-fork';
import Share2 from 'lucide-react/icons/share-2';
import Square from 'lucide-react/icons/square';
import { Link, useLocation } from 'react-router';
import { withNextPath } from '../../session/next-path.ts';
import { PresenceList } from '../../collaboration/presence-list.tsx';
import { useViewer } from '../../session/viewer.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Logo } from '../../ui/page/logo.tsx';
import styles from './top-bar.module.css';
import { canSave } from '../sharing/identity.ts';
import { SaveIndicator } from '../saving/save-state.tsx';
import type { SaveActions } from '../saving/saving.ts';
import { ShareDialog } from '../sharing/share-dialog.tsx';
import { useStore } from '../value-store.ts';
import { Title } from '../sharing/title.tsx';
import { MobileViewTabs } from './mobile-view-tabs.tsx';
import { VisibilitySelect } from '../sharing/visibility-select.tsx';
import { WorkspaceMenu } from './workspace-menu.tsx';
import type { Workspace } from '../workspace.ts';

/** Top bar: title, owner, save state and actions. */
export function TopBar({ workspace, actions }: { workspace: Workspace; actions: SaveActions }) {
  const identity = useStore(workspace.identity);
  const isOwner = identity.kind === 'project' && identity.role === 'owner';
  return (
    <header className={styles.bar}>
      <Link to="/" className={styles.home} aria-label="Vitrine, home">
        <Logo />
      </Link>
      <Title workspace={workspace} />
      {identity.kind === 'project' && (
        <span className={styles.owner} data-own={isOwner || undefined}>
          {identity.owner}
        </span>
      )}
      {isOwner && <VisibilitySelect workspace={workspace} />}
      <SaveIndicator workspace={workspace} actions={actions} />
      <MobileViewTabs workspace={workspace} />
      <PresenceList workspace={workspace} />
      <div className={styles.actions}>
        <RunButton workspace={workspace} />
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
        <ShareButton workspace={workspace} actions={actions} />
        <Account />
        <WorkspaceMenu workspace={workspace} />
      </div>
    </header>
  );
}

function RunButton({ workspace }: { workspace: Workspace }) {
  const isUnresponsive = useStore(workspace.preview.state).status === 'unresponsive';
  if (isUnresponsive) {
    return (
      <Button
        size="small"
        variant="danger"
        icon={<Square aria-hidden />}
        onClick={() => workspace.preview.stop()}
      >
        Stop
      </Button>
    );
  }
  return (
    <Button size="small" icon={<Play aria-hidden />} onClick={() => workspace.run()}>
      Run
    </Button>
  );
}

function ShareButton({ workspace, actions }: { workspace: Workspace; actions: SaveActions }) {
  const isOpen = useStore(workspace.dialog) === 'share';
  return (
    <>
      <Button
        size="small"
        icon={<Share2 aria-hidden />}
        onClick={() => workspace.dialog.set('share')}
      >
        Share
      </Button>
      <ShareDialog
        workspace={workspace}
        actions={actions}
        open={isOpen}
        onClose={() => workspace.dialog.set(null)}
      />
    </>
  );
}

/** Sign-in link for visitors. The account of a signed-in user is in the menu. */
function Account() {
  const viewer = useViewer();
  const { pathname, search } = useLocation();
  if (viewer) return null;
  return (
    <ButtonLink to={withNextPath('/auth/sign-in', pathname + search)} size="small" variant="quiet">
      Sign in
    </ButtonLink>
  );
}
