import type { SupabaseClient } from '@supabase/supabase-js';
import { isErrorCode, type ErrorCode } from '@vitrine/project';

/** What a function answered, or the catalogue's code of its refusal. */
export type FunctionAnswer =
  { readonly data: unknown; readonly code?: undefined } | { readonly code: ErrorCode };

/** Asks a function of the backend as who is signed in; `otherwise` is what a fault is called. */
export async function callFunction(
  client: SupabaseClient,
  name: 'export-data' | 'delete-account',
  otherwise: ErrorCode,
): Promise<FunctionAnswer> {
  const { data, error, response } = await client.functions.invoke<unknown>(name, {
    method: 'POST',
  });
  if (!error) return { data };
  if (response === undefined) return { code: 'server_unreachable' };
  const refusal: unknown = await response.json().catch(() => undefined);
  const isCoded = typeof refusal === 'object' && refusal !== null && 'code' in refusal;
  const code = isCoded ? refusal.code : undefined;
  return { code: isErrorCode(code) && code !== 'unexpected' ? code : otherwise };
}
