import { offerTool } from './tool.ts';
import { wishScheme } from './wishes.ts';

offerTool('light', () => {
  wishScheme('light');
  return () => undefined;
});
