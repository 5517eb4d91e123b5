interface TrustedTypeFactory {
  readonly defaultPolicy: unknown;
  createPolicy(
    name: 'default',
    rules: { createScriptURL(address: string): string | null },
  ): unknown;
}

/**
 * Installs the default Trusted Types policy. It allows only to start a worker from a built file;
 * everything else that `require-trusted-types-for` guards stays blocked. Does nothing in browsers
 * without Trusted Types.
 */
export function allowBuiltWorkers(): void {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypeFactory };
  if (!trustedTypes || trustedTypes.defaultPolicy) return;
  trustedTypes.createPolicy('default', {
    createScriptURL: (address) => (isBuiltFile(new URL(address, location.href)) ? address : null),
  });
}

function isBuiltFile(url: URL): boolean {
  return url.origin === location.origin && /^\/assets\/[\w.-]+\.js$/.test(url.pathname);
}
