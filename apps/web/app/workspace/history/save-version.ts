import { canSave } from '../sharing/identity.ts';
import type { Workspace } from '../workspace.ts';

/** Name of the field for a version's message, for `LayoutController.requestedFocus`. */
export const versionMessageName = 'version message';

/** Opens the History panel with the form that saves a version, if the user can save one. */
export function startSavingVersion({ layout, session }: Pick<Workspace, 'layout' | 'session'>) {
  const identity = session.identity.get();
  const show = () => layout.showSidebar('history');
  if (identity.kind === 'project' && canSave(identity))
    layout.showAndFocus(versionMessageName, show);
  else show();
}
