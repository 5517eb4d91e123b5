/** An enrolled authenticator app (TOTP), with a new code every 30 seconds. */
export interface Authenticator {
  readonly id: string;
  readonly name: string;
  /** ISO 8601. */
  readonly addedAt: string;
}

/** A sign-in method of the account: email and password, or an OAuth provider. */
export interface Identity {
  readonly id: string;
  /** `email`, or the provider's name in the auth server, such as `github`. */
  readonly provider: string;
  readonly email: string | null;
}

/** Credentials for re-authentication, besides an emailed code. */
export interface SignInMethods {
  readonly hasPassword: boolean;
  readonly authenticators: readonly Authenticator[];
}

/** The private part of an account, shown only to its owner. */
export interface AccountDetails {
  /** Whether a link or code sent to the email address was ever used. */
  readonly isEmailVerified: boolean;
  /** A new email address waiting for confirmation from both addresses, or null. */
  readonly pendingEmail: string | null;
  readonly identities: readonly Identity[];
  readonly authenticators: readonly Authenticator[];
}

/** A user who has signed in but not entered their MFA code yet. */
export interface PendingMfaUser {
  readonly email: string;
  readonly authenticators: readonly Authenticator[];
}
