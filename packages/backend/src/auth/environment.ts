/** What the gateway says along with a request to /auth/v1. */
export interface AuthEnvironment {
  Bindings: {
    address: string;
    /** The request came with the secret key and without a person's token. */
    isService: boolean;
  };
}
