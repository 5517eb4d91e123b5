import MonitorSmartphone from 'lucide-react/icons/monitor-smartphone';
import { IconButton } from '../../ui/icon-button.tsx';
import { Menu, MenuRadioGroup, MenuItem, MenuSeparator } from '../../ui/menu.tsx';
import type { PreviewController } from './preview-controller.ts';
import { devices, findPageSize, zooms, type DeviceName } from './preview-view.ts';
import { useStore } from '../value-store.ts';

const sizes = devices.map(({ name, label, size }) => ({
  value: name,
  label: size ? `${label}, ${size.width} × ${size.height}` : label,
}));

const zoomChoices = zooms.map((zoom) => ({
  value: zoom,
  label: zoom === 'fit' ? 'Fit' : `${zoom}%`,
}));

/** Menu for the size and zoom of the preview. */
export function DeviceMenu({ preview }: { preview: PreviewController }) {
  const view = useStore(preview.view);
  const canRotate = findPageSize(view) !== null && view.device !== 'own';
  const setDevice = (device: DeviceName) => preview.setView({ ...view, device, zoom: 'fit' });
  return (
    <Menu
      trigger={
        <IconButton label="Device size" size="small" pressed={view.device !== 'responsive'}>
          <MonitorSmartphone aria-hidden />
        </IconButton>
      }
    >
      <MenuRadioGroup label="Size" value={view.device} options={sizes} onChange={setDevice} />
      <MenuSeparator />
      <MenuItem
        disabled={!canRotate}
        onSelect={() => preview.setView({ ...view, isTurned: !view.isTurned })}
      >
        Rotate
      </MenuItem>
      <MenuSeparator />
      <MenuRadioGroup
        label="Zoom"
        value={view.zoom}
        options={zoomChoices}
        onChange={(zoom) => preview.setView({ ...view, zoom })}
      />
    </Menu>
  );
}
