import { registerTool } from './tool.ts';
import { emulateColorScheme } from './media-emulation.ts';

registerTool('light', () => {
  emulateColorScheme('light');
  return () => undefined;
});
