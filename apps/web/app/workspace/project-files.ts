import { toTextFiles, type AssetFile, type ProjectFile, type ProjectFiles } from '@vitrine/project';

/** Files of a project from the data of a route, sorted by path. */
export function toProjectFiles(
  texts: Iterable<readonly [path: string, text: string]>,
  assets: Iterable<readonly [path: string, asset: AssetFile]> = [],
): ProjectFiles {
  const files = new Map<string, ProjectFile>([...toTextFiles(texts), ...assets]);
  return new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1)));
}
