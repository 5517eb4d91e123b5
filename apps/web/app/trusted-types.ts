interface TrustedTypeFactory {
  readonly defaultPolicy: unknown;
  createPolicy(
    name: 'default',
    rules: { createScriptURL(address: string): string | null },
  ): unknown;
}

/**
 * The one thing that code of ours may do with text that could become script: start a worker from a
 * built file. Everything else that the page's policy (`require-trusted-types-for`) guards stays
 * refused. Where there are no Trusted Types there is nothing to do.
 */
export function allowBuiltWorkers(): void {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypeFactory };
  // The page's first script may have been here.
  if (!trustedTypes || trustedTypes.defaultPolicy) return;
  trustedTypes.createPolicy('default', {
    createScriptURL: (address) => (isBuiltFile(new URL(address, location.href)) ? address : null),
  });
}

function isBuiltFile(url: URL): boolean {
  return url.origin === location.origin && /^\/assets\/[\w.-]+\.js$/.test(url.pathname);
}
