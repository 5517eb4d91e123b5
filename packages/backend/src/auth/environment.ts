/** Bindings that the gateway passes with a request to /auth/v1. */
export interface AuthEnvironment {
  Bindings: {
    clientIp: string;
    /** Whether the request has the secret key and no user token. */
    isService: boolean;
  };
}
