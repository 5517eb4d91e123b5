import { useState } from 'react';
import firstScripts from 'virtual:first-script';
import { usePageNonce } from '../session/page-settings.ts';
import { useHydrated } from '../ui/hydrated.ts';
import type { FirstEditor } from './first-editor.ts';
import type { Workspace } from './workspace.ts';

/** In UTF-16 units: what is longer would hold up the page, which has all texts once more. */
const textMax = 100_000;

interface BeginEditorProps {
  workspace: Workspace;
  path: string;
}

/** For the server's page of a saved project: begins the editor of a file before all other scripts. */
export function BeginEditor({ workspace, path }: BeginEditorProps) {
  const [nonce] = useState(usePageNonce());
  const isHydrated = useHydrated();
  const text = workspace.initialText(path);
  const isServed = workspace.identity.get().kind === 'project';
  const [isBegun] = useState(!isHydrated && isServed && text.length <= textMax);
  if (!isBegun) return null;
  const script = import.meta.env.SSR
    ? beginningScript({ ...settingsOf(workspace), path, text, nonce })
    : '';
  return (
    <>
      {firstScripts.map((address) => (
        <link data-first key={address} rel="modulepreload" href={address} nonce={nonce} />
      ))}
      <script
        data-first
        type="module"
        nonce={nonce}
        suppressHydrationWarning
        dangerouslySetInnerHTML={{ __html: script }}
      />
    </>
  );
}

function settingsOf({ preferences }: Workspace): Pick<FirstEditor, 'settings'> {
  const { keymap, tabSize, wraps, showsGuides, showsWhitespace, showsScopes } =
    preferences.now.get();
  return { settings: { keymap, tabSize, wraps, showsGuides, showsWhitespace, showsScopes } };
}

function beginningScript(first: FirstEditor): string {
  // What closes a script in a page's text is no character of JSON's own.
  const written = JSON.stringify(first).replaceAll('<', '\\u003c');
  return `import{begin}from"${firstScripts[0]}";begin(${written}).finally(()=>window.held?.goOn())`;
}
