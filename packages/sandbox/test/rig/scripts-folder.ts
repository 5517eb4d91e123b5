import { fileURLToPath } from 'node:url';

/** Folder of the bundle cache, shared between files and runs. */
export const scriptsFolder = fileURLToPath(new URL('../../../../.cache/previews', import.meta.url));
