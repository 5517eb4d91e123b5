import { hash, verify } from '@node-rs/bcrypt';

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
  return matches && Boolean(stored);
}
