import type { Sql, TransactionSql } from 'postgres';
import type { Log } from '../log.ts';
import type { Mailer } from '../mail/mailer.ts';
import type { BackgroundTasks } from './background-tasks.ts';
import type { TokenKeys } from './keys.ts';
import type { Providers } from './providers/providers.ts';
import type { AuthLimits } from './auth-limits.ts';
import type { Redirects } from './redirects.ts';
import type { AuthSettings } from './settings.ts';

/** Dependencies of every endpoint of /auth/v1. */
export interface AuthContext {
  /** Connected as supabase_auth_admin. */
  readonly sql: Sql;
  readonly keys: TokenKeys;
  readonly settings: AuthSettings;
  readonly refreshKey: Uint8Array;
  /** HMAC key for codes that are typed by hand. */
  readonly codeKey: Uint8Array;
  /** Encryption key for the secrets of MFA factors. */
  readonly factorKey: Uint8Array;
  readonly providers: Providers;
  readonly redirects: Redirects;
  readonly limits: AuthLimits;
  readonly mailer: Mailer;
  readonly background: BackgroundTasks;
  readonly publicOrigin: string;
  readonly confirmEmail: boolean;
  readonly log: Log;
}

export type Transaction = TransactionSql;

/**
 * The client of a request, as the connection reports it: never from a header that the client can
 * set.
 */
export interface ClientInfo {
  readonly ipAddress: string;
  /** What limits count the address by: see `toRateLimitKey`. */
  readonly rateLimitKey: string;
  readonly userAgent: string;
}
