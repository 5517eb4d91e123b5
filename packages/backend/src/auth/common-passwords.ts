import { dictionary } from '@zxcvbn-ts/language-common';

/**
 * The 10,000 passwords that are guessed first, in lower case. The dictionary is sorted by how often
 * a password was found in leaks.
 */
export const commonPasswords: ReadonlySet<string> = new Set(
  dictionary['passwords-common'].slice(0, 10_000).map((password) => password.toLowerCase()),
);
