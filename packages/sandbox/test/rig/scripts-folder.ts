import { fileURLToPath } from 'node:url';

/** Where bundles are kept from file to file and from run to run, with those of the app. */
export const scriptsFolder = fileURLToPath(new URL('../../../../.cache/previews', import.meta.url));
