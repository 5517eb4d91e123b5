import { rotateSigningKey } from '@vitrine/backend';
import { assertInstance, dataDir } from './instance.ts';
import { printLine } from './terminal.ts';

/** Users stay signed in, as tokens signed with the previous key are valid until they expire. */
export async function rotateKey(): Promise<void> {
  assertInstance();
  const id = await rotateSigningKey(dataDir);
  printLine(`New signing key ${id} in ${dataDir}/secrets.json. Restart Vitrine to use it.`);
}
