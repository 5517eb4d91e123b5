export { createPreviewServer, type PreviewServer, type ServedProject } from './preview-server.ts';
