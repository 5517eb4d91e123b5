import { canSave } from '../sharing/identity.ts';
import type { Workspace } from '../workspace.ts';

/** Name of the field for a version's message, for `LayoutController.requestedFocus`. */
export const versionMessageName = 'version message';

type HistoryParts = Pick<Workspace, 'layout' | 'openFiles'>;

/** Opens the History panel. On a phone, it covers the code and not the result. */
function showHistory({ layout, openFiles }: HistoryParts): void {
  openFiles.view.set('code');
  layout.showSidebar('history');
}

/** Opens the History panel with the form that saves a version, if the user can save one. */
export function startSavingVersion({
  session,
  ...parts
}: HistoryParts & Pick<Workspace, 'session'>) {
  const identity = session.identity.get();
  const { layout } = parts;
  const show = () => showHistory(parts);
  if (identity.kind === 'project' && canSave(identity))
    layout.showAndFocus(versionMessageName, show);
  else show();
}
