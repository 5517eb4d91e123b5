/**
 * `npm run rotate-key`: creates a new key for signing access tokens, used from the next start on.
 * Users stay signed in, as tokens signed with the old key are valid until they expire.
 */
import { resolve } from 'node:path';
import { rotateSigningKey } from '@vitrine/backend';

const dataDir = resolve(process.env['DATA_DIR'] ?? 'data');
try {
  const id = await rotateSigningKey(dataDir);
  process.stdout.write(
    `New signing key ${id} in ${dataDir}/secrets.json. Restart Vitrine to use it.\n`,
  );
} catch (error) {
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  process.stderr.write(`${dataDir} has no secrets.json. Start Vitrine once to create it.\n`);
  process.exitCode = 1;
}
