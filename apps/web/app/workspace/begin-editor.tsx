import inter from '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2?url';
import mono from '@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2?url';
import { useState } from 'react';
import { preload } from 'react-dom';
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
  if (!isHydrated && isServed) preloadFonts(workspace);
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

/**
 * Asked for with the stylesheet, which the first frame waits for anyhow: it is set in the page's own
 * fonts, and not looked up and laid out in the device's before.
 */
function preloadFonts({ preferences }: Workspace): void {
  const usesMono = preferences.now.get().font === '';
  for (const address of usesMono ? [inter, mono] : [inter])
    preload(address, { as: 'font', type: 'font/woff2', crossOrigin: 'anonymous' });
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
