import { offerTool } from './tool.ts';
import { wishScheme } from './wishes.ts';

offerTool('dark', () => {
  wishScheme('dark');
  return () => undefined;
});
