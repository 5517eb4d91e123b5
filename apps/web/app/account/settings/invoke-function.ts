import type { SupabaseClient } from '@supabase/supabase-js';
import { isErrorCode, type ErrorCode } from '@vitrine/project';

/** The response of an edge function, or an error code of the catalog (`@vitrine/project`). */
type FunctionResult =
  { readonly data: unknown; readonly code?: undefined } | { readonly code: ErrorCode };

/**
 * Invokes an edge function as the signed-in user, or a visitor.
 * @param fallbackCode Returned for a failure without a code, or with the code `unexpected`.
 */
export async function invokeFunction(
  client: SupabaseClient,
  name: 'export-data' | 'delete-account' | 'import-project' | 'invite-by-email',
  fallbackCode: ErrorCode,
  { body: input, signal }: { body?: Record<string, unknown>; signal?: AbortSignal } = {},
): Promise<FunctionResult> {
  const { data, error, response } = await client.functions.invoke<unknown>(name, {
    method: 'POST',
    ...(input && { body: input }),
    ...(signal && { signal }),
  });
  if (!error) return { data };
  if (response === undefined) return { code: 'server_unreachable' };
  const body: unknown = await response.json().catch(() => undefined);
  const hasCode = typeof body === 'object' && body !== null && 'code' in body;
  const code = hasCode ? body.code : undefined;
  return { code: isErrorCode(code) && code !== 'unexpected' ? code : fallbackCode };
}
