import type { Sql } from 'postgres';
import type { Transaction } from './context.ts';
import type { AssuranceLevel } from './keys.ts';
import type { UserRow } from './users.ts';

interface IdentityRow {
  id: string;
  user_id: string;
  provider_id: string;
  provider: string;
  identity_data: Record<string, unknown>;
  email: string | null;
  last_sign_in_at: Date | null;
  created_at: Date;
  updated_at: Date;
}

interface FactorRow {
  id: string;
  friendly_name: string | null;
  factor_type: string;
  status: 'unverified' | 'verified';
  created_at: Date;
  updated_at: Date;
  last_challenged_at: Date | null;
}

/**
 * The account in the format of supabase-js. A session at `aal1` of an account with a verified
 * factor gets only what it needs to complete the sign-in: no metadata and no identities.
 */
export async function describeUser(
  sql: Sql | Transaction,
  user: UserRow,
  level: AssuranceLevel = 'aal2',
) {
  const factors = await listFactors(sql, user.id);
  const isPendingMfa = level === 'aal1' && factors.some(({ status }) => status === 'verified');
  return isPendingMfa
    ? describePendingMfaUser(user, factors)
    : describeFullUser(sql, user, factors);
}

type FactorResponses = Awaited<ReturnType<typeof listFactors>>;

function describePendingMfaUser(user: UserRow, factors: FactorResponses): UserResponse {
  return {
    id: user.id,
    aud: 'authenticated',
    role: 'authenticated',
    email: user.email ?? '',
    phone: '',
    ...optionalField('email_confirmed_at', user.email_confirmed_at),
    app_metadata: {},
    user_metadata: {},
    identities: [],
    factors,
    created_at: user.created_at,
    updated_at: user.updated_at,
    is_anonymous: user.is_anonymous,
  };
}

async function describeFullUser(sql: Sql | Transaction, user: UserRow, factors: FactorResponses) {
  const identities = await sql<IdentityRow[]>`
    select id, user_id, provider_id, provider, identity_data, email, last_sign_in_at, created_at,
      updated_at
    from auth.identities where user_id = ${user.id} order by created_at`;
  return {
    id: user.id,
    aud: 'authenticated',
    role: 'authenticated',
    email: user.email ?? '',
    phone: '',
    ...optionalField('email_confirmed_at', user.email_confirmed_at),
    ...optionalField('confirmed_at', user.email_confirmed_at),
    ...optionalField('invited_at', user.invited_at),
    ...optionalField('confirmation_sent_at', user.confirmation_sent_at),
    ...optionalField('recovery_sent_at', user.recovery_sent_at),
    ...optionalField('reauthentication_sent_at', user.reauthentication_sent_at),
    ...optionalField('email_change_sent_at', user.email_change_sent_at),
    ...optionalField('new_email', user.email_change),
    ...optionalField('last_sign_in_at', user.last_sign_in_at),
    ...optionalField('banned_until', user.banned_until),
    ...optionalField('deleted_at', user.deleted_at),
    app_metadata: user.raw_app_meta_data ?? {},
    user_metadata: user.raw_user_meta_data ?? {},
    identities: identities.map((identity) => ({
      identity_id: identity.id,
      id: identity.provider_id,
      user_id: identity.user_id,
      identity_data: identity.identity_data,
      provider: identity.provider,
      ...optionalField('last_sign_in_at', identity.last_sign_in_at),
      created_at: identity.created_at,
      updated_at: identity.updated_at,
      ...optionalField('email', identity.email),
    })),
    ...(factors.length === 0 ? {} : { factors }),
    created_at: user.created_at,
    updated_at: user.updated_at,
    is_anonymous: user.is_anonymous,
  };
}

export type UserResponse = Awaited<ReturnType<typeof describeFullUser>>;

/** The MFA factors of a user, without their secrets. */
export async function listFactors(sql: Sql | Transaction, userId: string) {
  const rows = await sql<FactorRow[]>`
    select id, friendly_name, factor_type, status, created_at, updated_at,
      last_challenged_at
    from auth.mfa_factors where user_id = ${userId} order by created_at`;
  return rows.map(({ friendly_name: name, last_challenged_at: last, ...factor }) => ({
    ...factor,
    ...optionalField('friendly_name', name || null),
    ...optionalField('last_challenged_at', last),
  }));
}

function optionalField(name: string, value: Date | string | null): Record<string, Date | string> {
  return value === null ? {} : { [name]: value };
}
