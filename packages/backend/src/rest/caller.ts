export type DatabaseRole = 'anon' | 'authenticated' | 'service_role';

/** The caller of a request. The gateway has verified the key and the token. */
export interface Caller {
  role: DatabaseRole;
  /** Claims of the token, which policies read through `auth.uid()` and `auth.jwt()`. */
  claims: Record<string, unknown>;
  /** What limits count the client's address by; '' for this instance itself. */
  rateLimitKey?: string;
}
