import type { CommandContext } from '../../commands/workspace-commands.ts';
import { useStore } from '../value-store.ts';
import { AddToCollectionDialog } from '../../collections/collection-dialogs.tsx';

interface AddToCollectionProps {
  context: CommandContext;
  isOpen: boolean;
}

/** Adds the workspace's project to a collection of the signed-in user. */
export default function AddToCollection({ context, isOpen }: AddToCollectionProps) {
  const { session, layout } = context.workspace;
  const identity = useStore(session.identity);
  if (!isOpen || identity.kind !== 'project') return null;
  return <AddToCollectionDialog projects={[identity.id]} onClose={() => layout.dialog.set(null)} />;
}
