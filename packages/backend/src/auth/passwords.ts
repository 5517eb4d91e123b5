import { hash, verify } from '@node-rs/bcrypt';

/** GoTrue's cost, so that accounts move to a hosted project as they are. About 60 ms of a core. */
const cost = 10;

/** Of no password: an unknown account costs as much time as a wrong password. */
const nobody = await hash(crypto.randomUUID(), { cost });

/** On a thread of its own, as verifying is: requests are answered meanwhile. */
export function hashPassword(password: string): Promise<string> {
  return hash(password, { cost });
}

export async function verifyPassword(password: string, stored: string | null | undefined) {
  const matches = await verify(password, stored || nobody);
  return matches && Boolean(stored);
}
