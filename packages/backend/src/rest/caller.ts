export type Role = 'anon' | 'authenticated' | 'service_role';

/** Who asks: the gateway has checked the key and the token before anything here runs. */
export interface Caller {
  role: Role;
  /** The token's claims, which policies read through `auth.uid()` and `auth.jwt()`. */
  claims: Record<string, unknown>;
}
