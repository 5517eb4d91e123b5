/** The nonce of this document's policy. A later answer of the server has another one. */
export function documentNonce(): string | undefined {
  return document.querySelector<HTMLScriptElement>('script[nonce]')?.nonce;
}
