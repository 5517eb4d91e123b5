import { registerTool } from './tool.ts';
import { emulateFeature } from './media-emulation.ts';

registerTool('reduced-motion', () => {
  emulateFeature({ feature: 'prefers-reduced-motion', value: 'reduce', bare: 'reduce' });
  return () => undefined;
});
