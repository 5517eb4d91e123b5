import { offerTool } from './tool.ts';
import { fulfil } from './wishes.ts';

offerTool('still', () => {
  fulfil({ feature: 'prefers-reduced-motion', value: 'reduce', bare: 'reduce' });
  return () => undefined;
});
