import { hash, verify } from '@node-rs/bcrypt';
import { byteLength, limits } from '@vitrine/project';

/**
 * GoTrue's bcrypt cost, so that accounts move to a hosted project unchanged. About 60 ms of one
 * core.
 */
const cost = 10;

/** Compared when there is no account or password, so that both take as long as a wrong password. */
const dummyHash = await hash(crypto.randomUUID(), { cost });

/** Hashes on a worker thread, as `verifyPassword` does, so that requests are served meanwhile. */
export function hashPassword(password: string): Promise<string> {
  return hash(password, { cost });
}

export async function verifyPassword(password: string, stored: string | null | undefined) {
  const matches = await verify(password, stored || dummyHash);
  return matches && Boolean(stored) && isDistinct(password);
}

/**
 * Whether bcrypt tells a password from all others. It reads 72 bytes of UTF-8 and repeats those up to a
 * NUL, and unpaired surrogates all become U+FFFD.
 */
function isDistinct(password: string): boolean {
  return (
    password.isWellFormed() &&
    !password.includes('\0') &&
    byteLength(password) <= limits.passwordMaxBytes
  );
}
