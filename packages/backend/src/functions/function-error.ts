/** A request that a function did not respond to. The codes are Supabase's. */
export class FunctionError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.name = 'FunctionRefusal';
    this.status = status;
    this.code = code;
  }
}

export function createFunctionErrorResponse({ status, code, message }: FunctionError): Response {
  const headers: Record<string, string> = [429, 503].includes(status) ? { 'retry-after': '5' } : {};
  if (status === 401) headers['www-authenticate'] = 'Bearer';
  return Response.json({ code, message }, { status, headers });
}
