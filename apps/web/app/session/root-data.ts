import { useRouteLoaderData } from 'react-router';
import type { Contrast, Theme } from '../ui/theme/theme.ts';
import type { PageData } from './page-settings.ts';
import type { ViewerData } from './viewer.ts';

/** Data of the root loader, which every page has. */
export interface RootData extends PageData, ViewerData {
  /** The origin in the browser's address bar. */
  readonly origin: string;
  readonly theme: Theme;
  readonly contrast: Contrast;
  /** A free username for a user who has none yet; otherwise null. */
  readonly suggestedUsername: string | null;
}

/** The root loader's data; undefined on a page whose root loader failed. */
export function useRootData(): RootData | undefined {
  return useRouteLoaderData<RootData>('root');
}
