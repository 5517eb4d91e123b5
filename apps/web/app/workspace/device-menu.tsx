import MonitorSmartphone from 'lucide-react/icons/monitor-smartphone';
import { IconButton } from '../ui/icon-button.tsx';
import { Menu, MenuChoice, MenuItem, MenuSeparator } from '../ui/menu.tsx';
import type { Result } from './result.ts';
import { devices, findSize, zooms, type DeviceName } from './result-view.ts';
import { useSource } from './source.ts';

const sizes = devices.map(({ name, label, size }) => ({
  value: name,
  label: size ? `${label}, ${size.width} × ${size.height}` : label,
}));

const zoomChoices = zooms.map((zoom) => ({
  value: zoom,
  label: zoom === 'fit' ? 'Fit' : `${zoom}%`,
}));

/** Menu for the size and zoom of the preview. */
export function DeviceMenu({ preview }: { preview: Result }) {
  const view = useSource(preview.view);
  const canRotate = findSize(view) !== null && view.device !== 'own';
  const setDevice = (device: DeviceName) => preview.setView({ ...view, device, zoom: 'fit' });
  return (
    <Menu
      trigger={
        <IconButton label="Device size" size="small" pressed={view.device !== 'responsive'}>
          <MonitorSmartphone aria-hidden />
        </IconButton>
      }
    >
      <MenuChoice label="Size" value={view.device} options={sizes} onChange={setDevice} />
      <MenuSeparator />
      <MenuItem
        disabled={!canRotate}
        onSelect={() => preview.setView({ ...view, isTurned: !view.isTurned })}
      >
        Rotate
      </MenuItem>
      <MenuSeparator />
      <MenuChoice
        label="Zoom"
        value={view.zoom}
        options={zoomChoices}
        onChange={(zoom) => preview.setView({ ...view, zoom })}
      />
    </Menu>
  );
}
