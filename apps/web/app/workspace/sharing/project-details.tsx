import type { CommandContext } from '../../commands/workspace-commands.ts';
import { DetailsDialog } from '../../projects/details-dialog.tsx';
import { useStore } from '../value-store.ts';

interface ProjectDetailsProps {
  context: CommandContext;
  isOpen: boolean;
}

/** The details of the open project, for its owner. */
export default function ProjectDetails({ context, isOpen }: ProjectDetailsProps) {
  const { session, layout } = context.workspace;
  const identity = useStore(session.identity);
  if (!isOpen || identity.kind !== 'project' || identity.role !== 'owner') return null;
  return (
    <DetailsDialog
      project={identity.id}
      onClose={() => layout.dialog.set(null)}
      onRename={(title) => session.rename(title)}
    />
  );
}
