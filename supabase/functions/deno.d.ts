/** Deno APIs that the functions use. Other APIs are not available when a function runs in Node. */
declare namespace Deno {
  function serve(handler: (request: Request) => Response | Promise<Response>): void;
  const env: { get(name: string): string | undefined };
}
