import type { CommandContext } from '../commands/workspace-commands.ts';
import DownloadDialog from './download-dialog.tsx';

interface WorkspaceDownloadProps {
  context: CommandContext;
  isOpen: boolean;
}

/** The Download dialog of a workspace. */
export default function WorkspaceDownload({
  context: { workspace },
  isOpen,
}: WorkspaceDownloadProps) {
  const { session, layout } = workspace;
  return (
    <DownloadDialog
      open={isOpen}
      onClose={() => layout.dialog.set(null)}
      readProject={async () => {
        const { text } = await session.whenOpened();
        return {
          title: session.identity.get().title,
          files: text.readAll(),
          loadAsset: session.loadAsset,
        };
      }}
    />
  );
}
