/** CSP nonce of the current document. Later server responses have other nonces. */
export function findDocumentNonce(): string | undefined {
  return document.querySelector<HTMLScriptElement>('script[nonce]')?.nonce;
}
