import { offerTool } from './tool.ts';
import { pretendScheme } from './guise.ts';

offerTool('dark', () => {
  pretendScheme('dark');
  return () => undefined;
});
