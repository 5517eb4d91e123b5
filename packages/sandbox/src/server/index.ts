export type { ServedProject } from './compiled-files.ts';
export { createPreviewServer, type PreviewServer } from './preview-server.ts';
