import { fileURLToPath } from 'node:url';

/** Where bundles of the tests are kept from file to file and from run to run. */
export const scriptsFolder = fileURLToPath(
  new URL('../../../../.cache/sandbox-tests', import.meta.url),
);
