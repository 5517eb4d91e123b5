/** CSP nonce of the current document. Later server responses have other nonces. */
export function documentNonce(): string | undefined {
  return document.querySelector<HTMLScriptElement>('script[nonce]')?.nonce;
}
