import { registerTool } from './tool.ts';
import { emulateColorScheme } from './media-emulation.ts';

registerTool('dark', () => {
  emulateColorScheme('dark');
  return () => undefined;
});
