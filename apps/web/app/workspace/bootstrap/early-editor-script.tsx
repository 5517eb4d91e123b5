import inter from '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2?url';
import mono from '@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2?url';
import { useState } from 'react';
import { preload } from 'react-dom';
import firstScripts from 'virtual:first-script';
import { usePageNonce } from '../../session/page-settings.ts';
import { useHydrated } from '../../ui/hydrated.ts';
import type { PreferencesStore } from '../../preferences/preferences-store.ts';
import type { WorkspaceSession } from '../session.ts';
import { useDeferredScripts } from './deferred-scripts.tsx';
import type { EarlyEditorData } from './first-editor.ts';
import { createTypedTextScript } from './typed-text.ts';

/** Longest text to inline a second time into the page, in UTF-16 units. More would delay it. */
const maxTextLength = 100_000;

interface BeginEditorProps {
  session: WorkspaceSession;
  preferences: PreferencesStore;
  path: string;
}

/**
 * Inline scripts in a saved project's server-rendered page: one shows what was typed just before
 * the page was loaded, the other starts an early editor for a file before all other scripts.
 */
export function EarlyEditorScript({ session, preferences, path }: BeginEditorProps) {
  const [nonce] = useState(usePageNonce());
  const isHydrated = useHydrated();
  const isDeferred = useDeferredScripts();
  const text = session.initialText(path);
  const { id: project, kind } = session.identity.get();
  const isServed = kind === 'project';
  if (!isHydrated && isServed) preloadFonts(preferences);
  const [isPrerendered] = useState(!isHydrated && isServed && text.length <= maxTextLength);
  if (!isPrerendered) return null;
  const script = import.meta.env.SSR
    ? createScript({ ...earlyEditorSettings(preferences), project, path, text, nonce })
    : '';
  return (
    <>
      <script
        nonce={nonce}
        suppressHydrationWarning
        dangerouslySetInnerHTML={{
          __html: import.meta.env.SSR ? createTypedTextScript(project, path) : '',
        }}
      />
      {firstScripts.map((address) => (
        <link
          data-first
          key={address}
          rel={isDeferred ? 'deferred' : 'modulepreload'}
          href={address}
          nonce={nonce}
        />
      ))}
      <script
        data-first
        type={isDeferred ? 'deferred' : 'module'}
        nonce={nonce}
        suppressHydrationWarning
        dangerouslySetInnerHTML={{ __html: script }}
      />
    </>
  );
}

/**
 * Preloads the fonts with the stylesheet, which the first frame waits for anyway. Otherwise the
 * text would be laid out twice: with a device font first.
 */
function preloadFonts(preferences: PreferencesStore): void {
  const usesMono = preferences.current.get().font === '';
  for (const address of usesMono ? [inter, mono] : [inter])
    preload(address, { as: 'font', type: 'font/woff2', crossOrigin: 'anonymous' });
}

function earlyEditorSettings(preferences: PreferencesStore): Pick<EarlyEditorData, 'settings'> {
  const { keymap, tabSize, wraps, showsGuides, showsWhitespace, showsScopes } =
    preferences.current.get();
  return { settings: { keymap, tabSize, wraps, showsGuides, showsWhitespace, showsScopes } };
}

function createScript(first: EarlyEditorData): string {
  // Escapes "<", so that a text can't close the script element. JSON never needs the character
  // itself.
  const json = JSON.stringify(first).replaceAll('<', '\\u003c');
  return `import{begin}from"${firstScripts[0]}";begin(${json}).finally(()=>window.deferredScripts?.activateAll())`;
}
