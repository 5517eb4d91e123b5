import Ellipsis from 'lucide-react/icons/ellipsis';
import { download, fileName } from '../ui/download.ts';
import { IconButton } from '../ui/icon-button.tsx';
import { Menu, MenuChoice, MenuItem, MenuNote, MenuSeparator } from '../ui/menu.tsx';
import { showToast } from '../ui/toast.tsx';
import type { Result } from './result.ts';
import { useSource } from './source.ts';
import type { Workspace } from './workspace.ts';

const schemes = [
  { value: 'device', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
] as const;

const motions = [
  { value: 'device', label: 'System' },
  { value: 'still', label: 'Reduced' },
] as const;

type Scheme = (typeof schemes)[number]['value'];
type Motion = (typeof motions)[number]['value'];

/** Preview options: media emulation and screenshot. */
export function ResultMenu({ workspace }: { workspace: Workspace }) {
  const { result } = workspace;
  const view = useSource(result.view);
  const { guise } = view;
  const isEmulating = guise.scheme !== null || guise.isStill;
  const setEmulation = (next: Partial<typeof guise>) =>
    result.setView({ ...view, guise: { ...guise, ...next } });
  return (
    <Menu
      trigger={
        <IconButton label="Result options" size="small" pressed={isEmulating}>
          <Ellipsis aria-hidden />
        </IconButton>
      }
    >
      <MenuChoice<Scheme>
        label="Color scheme"
        value={guise.scheme ?? 'device'}
        options={schemes}
        onChange={(scheme) => setEmulation({ scheme: scheme === 'device' ? null : scheme })}
      />
      <MenuSeparator />
      <MenuChoice<Motion>
        label="Motion"
        value={guise.isStill ? 'still' : 'device'}
        options={motions}
        onChange={(motion) => setEmulation({ isStill: motion === 'still' })}
      />
      {isEmulating && <MenuNote>Only affects this page's CSS and JavaScript.</MenuNote>}
      <MenuSeparator />
      <MenuItem onSelect={() => void saveScreenshot(result, workspace.identity.get().title)}>
        Save screenshot
      </MenuItem>
    </Menu>
  );
}

async function saveScreenshot(result: Result, title: string): Promise<void> {
  const screenshot = await result.takePicture();
  if (screenshot.status === 'failed') {
    showToast({
      title: "Couldn't take a screenshot",
      description: 'The page must be running. Pages with very large images may be too big.',
    });
    return;
  }
  download(new Blob([screenshot.png], { type: 'image/png' }), `${fileName(title, 'result')}.png`);
  const { undrawn: missing } = screenshot;
  if (missing.length > 0)
    showToast({
      title: `Missing from the screenshot: ${missing.join(', ')}`,
      description: 'Content from other hosts that the page may not read is left out.',
    });
}
