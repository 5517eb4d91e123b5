/** What shows a second factor: an app or a device that makes a new code every 30 seconds. */
export interface Authenticator {
  readonly id: string;
  readonly name: string;
  readonly addedAt: string;
}

/** A way to sign in to the account: its address and password, or a provider. */
export interface Identity {
  readonly id: string;
  /** `email`, or the provider's name as the backend has it. */
  readonly provider: string;
  readonly email: string | null;
}

/** What the user can authenticate again with, beside a code that is mailed. */
export interface SignInMethods {
  readonly hasPassword: boolean;
  readonly authenticators: readonly Authenticator[];
}

/** What only its person sees of an account. */
export interface AccountDetails {
  /** The mailbox of the address has answered once. */
  readonly isEmailVerified: boolean;
  /** An address that both mailboxes may still agree to; null where no change is open. */
  readonly pendingEmail: string | null;
  readonly identities: readonly Identity[];
  readonly authenticators: readonly Authenticator[];
}

/** Who has signed in and still has to show a second factor. */
export interface Claimant {
  readonly email: string;
  readonly authenticators: readonly Authenticator[];
}
