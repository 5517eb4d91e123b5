import type { Sql, TransactionSql } from 'postgres';
import type { Log } from '../log.ts';
import type { Mailer } from '../mail/mailer.ts';
import type { Background } from './background.ts';
import type { TokenKeys } from './keys.ts';
import type { Providers } from './providers.ts';
import type { AuthLimits } from './rate-limit.ts';
import type { Redirects } from './redirects.ts';
import type { AuthSettings } from './settings.ts';

/** What every endpoint of /auth/v1 works with. */
export interface AuthContext {
  /** As supabase_auth_admin. */
  readonly sql: Sql;
  readonly keys: TokenKeys;
  readonly settings: AuthSettings;
  readonly refreshKey: Uint8Array;
  /** For codes that are typed by hand. */
  readonly codeKey: Uint8Array;
  /** For the secrets of second factors, which are kept encrypted. */
  readonly factorKey: Uint8Array;
  readonly providers: Providers;
  readonly redirects: Redirects;
  readonly limits: AuthLimits;
  readonly mailer: Mailer;
  readonly background: Background;
  readonly publicOrigin: string;
  readonly confirmEmail: boolean;
  readonly log: Log;
}

export type Transaction = TransactionSql;

/** Who sends a request, as far as the connection tells: never a header that the sender writes. */
export interface Caller {
  readonly address: string;
  readonly userAgent: string;
}
