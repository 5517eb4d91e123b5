export type { ServedProject } from './compile-cache.ts';
export { createPreviewServer, type PreviewServer } from './preview-server.ts';
export type { ProjectRequest } from './recent-projects.ts';
