import Play from 'lucide-react/icons/play';
import Save from 'lucide-react/icons/save';
import GitFork from 'lucide-react/icons/git-fork';
import Share2 from 'lucide-react/icons/share-2';
import Square from 'lucide-react/icons/square';
import { Link, useLocation } from 'react-router';
import { withNext } from '../session/next-path.ts';
import { PeopleHere } from '../collaboration/people-here.tsx';
import { useViewer } from '../session/viewer.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Mark } from '../ui/mark.tsx';
import styles from './bar.module.css';
import { maySave } from './identity.ts';
import { SaveState } from './save-state.tsx';
import type { SaveActions } from './saving.ts';
import { ShareDialog } from './share-dialog.tsx';
import { useSource } from './source.ts';
import { Title } from './title.tsx';
import { ViewTabs } from './view-tabs.tsx';
import { VisibilityChoice } from './visibility-choice.tsx';
import { WorkspaceMenu } from './workspace-menu.tsx';
import type { Workspace } from './workspace.ts';

/** Top bar: title, owner, save state and actions. */
export function Bar({ workspace, actions }: { workspace: Workspace; actions: SaveActions }) {
  const identity = useSource(workspace.identity);
  const isOwner = identity.kind === 'project' && identity.role === 'owner';
  return (
    <header className={styles.bar}>
      <Link to="/" className={styles.home} aria-label="Vitrine, home">
        <Mark />
      </Link>
      <Title workspace={workspace} />
      {identity.kind === 'project' && (
        <span className={styles.owner} data-own={isOwner || undefined}>
          {identity.owner}
        </span>
      )}
      {isOwner && <VisibilityChoice workspace={workspace} />}
      <SaveState workspace={workspace} actions={actions} />
      <ViewTabs workspace={workspace} />
      <PeopleHere workspace={workspace} />
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
            variant={maySave(identity) ? 'secondary' : 'primary'}
            icon={<GitFork aria-hidden />}
            busy={actions.busy}
            onClick={() => void actions.fork()}
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
  const isStalled = useSource(workspace.result.state).status === 'stalled';
  if (isStalled) {
    return (
      <Button
        size="small"
        variant="danger"
        icon={<Square aria-hidden />}
        onClick={() => workspace.result.stop()}
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
  const isOpen = useSource(workspace.dialog) === 'share';
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
    <ButtonLink to={withNext('/auth/sign-in', pathname + search)} size="small" variant="quiet">
      Sign in
    </ButtonLink>
  );
}
