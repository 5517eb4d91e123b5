import Ellipsis from 'lucide-react/icons/ellipsis';
import { downloadFile, toFileName } from '../../ui/download.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { Menu, MenuRadioGroup, MenuItem, MenuNote, MenuSeparator } from '../../ui/menu.tsx';
import { showToast } from '../../ui/toast.tsx';
import type { LayoutController } from '../layout/layout-controller.ts';
import type { PreviewController } from './preview-controller.ts';
import type { WorkspaceSession } from '../session.ts';
import { useStore } from '../value-store.ts';

const schemes = [
  { value: 'device', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
] as const;

const motions = [
  { value: 'device', label: 'System' },
  { value: 'reduce', label: 'Reduced' },
] as const;

type Scheme = (typeof schemes)[number]['value'];
type Motion = (typeof motions)[number]['value'];

interface PreviewMenuProps {
  preview: PreviewController;
  session: WorkspaceSession;
  layout: LayoutController;
}

/** Preview options: media emulation and screenshot. */
export function PreviewMenu({ preview, session, layout }: PreviewMenuProps) {
  const view = useStore(preview.view);
  const { mediaEmulation } = view;
  const isEmulating = mediaEmulation.colorScheme !== null || mediaEmulation.reducedMotion;
  const setEmulation = (next: Partial<typeof mediaEmulation>) =>
    preview.setView({ ...view, mediaEmulation: { ...mediaEmulation, ...next } });
  return (
    <Menu
      trigger={
        <IconButton label="Result options" size="small" pressed={isEmulating}>
          <Ellipsis aria-hidden />
        </IconButton>
      }
    >
      <MenuRadioGroup<Scheme>
        label="Color scheme"
        value={mediaEmulation.colorScheme ?? 'device'}
        options={schemes}
        onChange={(scheme) => setEmulation({ colorScheme: scheme === 'device' ? null : scheme })}
      />
      <MenuSeparator />
      <MenuRadioGroup<Motion>
        label="Motion"
        value={mediaEmulation.reducedMotion ? 'reduce' : 'device'}
        options={motions}
        onChange={(motion) => setEmulation({ reducedMotion: motion === 'reduce' })}
      />
      {isEmulating && <MenuNote>Only affects this page’s CSS and JavaScript.</MenuNote>}
      <MenuSeparator />
      <MenuItem onSelect={() => void saveScreenshot(preview, session.identity.get().title)}>
        Save screenshot
      </MenuItem>
      <MenuItem onSelect={() => layout.dialog.set('permissions')}>Permissions</MenuItem>
    </Menu>
  );
}

async function saveScreenshot(result: PreviewController, title: string): Promise<void> {
  const screenshot = await result.takeScreenshot();
  if (screenshot.status === 'failed') {
    showToast({
      title: 'Couldn’t take a screenshot',
      description: 'Make sure the page is running. Very large images can also cause this.',
    });
    return;
  }
  downloadFile(
    new Blob([screenshot.png], { type: 'image/png' }),
    `${toFileName(title, 'result')}.png`,
  );
  const { undrawn: missing } = screenshot;
  if (missing.length > 0)
    showToast({
      title: `Missing from the screenshot: ${missing.join(', ')}`,
      description: 'Content from other sites that the page isn’t allowed to read was left out.',
    });
}
