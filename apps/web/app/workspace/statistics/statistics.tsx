import type { WorkspaceSession } from '../session.ts';
import { useStore } from '../value-store.ts';

/** Number of the project's files; shows what a panel and a tab take. */
export function Statistics({ session }: { session: WorkspaceSession }) {
  const paths = useStore(session.paths);
  return <p>{paths.length} files</p>;
}
