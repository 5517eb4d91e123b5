import { dictionary } from '@zxcvbn-ts/language-common';

/**
 * The 10,000 most common passwords, in lower case. The dictionary is sorted by frequency in leaks.
 */
export const commonPasswords: ReadonlySet<string> = new Set(
  dictionary['passwords-common'].slice(0, 10_000).map((password) => password.toLowerCase()),
);
