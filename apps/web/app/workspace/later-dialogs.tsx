import { lazy, Suspense, useState } from 'react';
import { useSource } from './source.ts';
import type { Workspace } from './workspace.ts';

const GoToFile = lazy(async () => ({ default: (await import('./go-to-file.tsx')).GoToFile }));

/** Dialogs whose code comes when they are first asked for. */
export function LaterDialogs({ workspace }: { workspace: Workspace }) {
  const isAsked = useSource(workspace.isGoingToFile);
  const [wasAsked, setWasAsked] = useState(false);
  if (isAsked && !wasAsked) setWasAsked(true);
  return <Suspense>{wasAsked && <GoToFile workspace={workspace} />}</Suspense>;
}
