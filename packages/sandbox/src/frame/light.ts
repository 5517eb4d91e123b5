import { offerTool } from './tool.ts';
import { pretendScheme } from './guise.ts';

offerTool('light', () => {
  pretendScheme('light');
  return () => undefined;
});
