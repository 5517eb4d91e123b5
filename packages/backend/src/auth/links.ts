import type { Transaction } from './context.ts';
import type { FlowPurpose } from './flows.ts';
import { hashSecret, newSecret } from './secret-text.ts';

/** The `type` of a mailed link, in the words of supabase-js. */
export type LinkType = 'signup' | 'recovery' | 'email_change';

export interface Link {
  id: string;
  userId: string;
  /** The address it was mailed to. */
  email: string;
  flowId: string;
  type: LinkType;
}

const linkLifetimeS = 3600;

const tokenTypes = {
  signup: 'confirmation_token',
  recovery: 'recovery_token',
  email_change: 'email_change_token_new',
} as const satisfies Record<LinkType, string>;

export const purposes = {
  signup: 'email/signup',
  recovery: 'recovery',
  email_change: 'email_change',
} as const satisfies Record<LinkType, FlowPurpose>;

/** What supabase-js may name: `email` is its newer word for whichever link was mailed. */
export function parseLinkTypes(value: unknown): LinkType[] {
  if (value === 'email') return ['signup', 'recovery'];
  return value === 'signup' || value === 'recovery' || value === 'email_change' ? [value] : [];
}

/** Makes a link and returns the token that only the mail will hold. Earlier links stay good. */
export async function createLink(
  tx: Transaction,
  { userId, email, flowId, type }: Omit<Link, 'id'>,
): Promise<string> {
  const token = newSecret();
  await tx`
    insert into auth.one_time_tokens (id, user_id, token_type, token_hash, relates_to, flow_state_id)
    values (${crypto.randomUUID()}, ${userId}, ${tokenTypes[type]}, ${hashSecret(token)}, ${email},
      ${flowId})`;
  return token;
}

/** The link of this token, younger than an hour and not used yet; locked until the commit. */
export async function findLink(
  tx: Transaction,
  token: unknown,
  types: LinkType[],
): Promise<Link | undefined> {
  if (typeof token !== 'string' || token === '') return undefined;
  const [row] = await tx<LinkRow[]>`
    select id, user_id, relates_to, flow_state_id, token_type from auth.one_time_tokens
    where token_hash = ${hashSecret(token)}
      and created_at > localtimestamp - make_interval(secs => ${linkLifetimeS})
    for update`;
  const type = types.find((one) => tokenTypes[one] === row?.token_type);
  if (row === undefined || type === undefined) return undefined;
  return {
    id: row.id,
    userId: row.user_id,
    email: row.relates_to,
    flowId: row.flow_state_id,
    type,
  };
}

/** The link that a flow's mail held. */
export async function findLinkOfFlow(tx: Transaction, flowId: string): Promise<string | undefined> {
  const [row] = await tx<{ relates_to: string }[]>`
    select relates_to from auth.one_time_tokens where flow_state_id = ${flowId}`;
  return row?.relates_to;
}

interface LinkRow {
  id: string;
  user_id: string;
  relates_to: string;
  flow_state_id: string;
  token_type: string;
}
