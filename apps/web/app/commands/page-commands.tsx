import { listKeyNames } from '@vitrine/editor/key-names';
import { findErrorCode } from '@vitrine/project';
import { useEffect, useEffectEvent, useState } from 'react';
import { showErrorToast } from '../ui/toast.tsx';
import { captureTyping } from './capture-typing.ts';
import type PagePalette from './page-palette.tsx';
import { isPageShortcut, paletteKeys } from './palette-keys.ts';

/**
 * Command palette of the pages outside a workspace, opened by the same keys. Loaded on first use;
 * text typed meanwhile goes into its field.
 */
export function PageCommands() {
  const [isOpen, setOpen] = useState(false);
  const [loaded, setLoaded] = useState<{ Palette: typeof PagePalette }>();
  const handleKey = useEffectEvent((event: KeyboardEvent) => {
    if (isOpen || !isPageShortcut(event)) return;
    if (!listKeyNames(event).some((key) => paletteKeys.includes(key))) return;
    event.preventDefault();
    setOpen(true);
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => handleKey(event);
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, []);
  useEffect(() => {
    if (!isOpen) return;
    import('./page-palette.tsx').then(
      ({ default: Palette }) => setLoaded({ Palette }),
      (error: unknown) => {
        setOpen(false);
        showErrorToast(findErrorCode(error));
      },
    );
    return captureTyping();
  }, [isOpen]);
  return loaded ? <loaded.Palette isOpen={isOpen} onClose={() => setOpen(false)} /> : null;
}
