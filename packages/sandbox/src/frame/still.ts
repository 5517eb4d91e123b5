import { offerTool } from './tool.ts';
import { pretend } from './guise.ts';

offerTool('still', () => {
  pretend({ feature: 'prefers-reduced-motion', value: 'reduce', bare: 'reduce' });
  return () => undefined;
});
