import { findErrorCode, isUnreachable } from '@vitrine/project';
import type { SupabaseClient } from '@supabase/supabase-js';
import { useRevalidator } from 'react-router';
import { useClient } from './use-client.ts';

/** Makes a change with the client of the signed-in user. Rejects as the change does. */
type RunChange = <Result>(change: (supabase: SupabaseClient) => Promise<Result>) => Promise<Result>;

/**
 * Returns a function that makes a change, then reloads what the page shows. It also does after a
 * refusal, since something was changed elsewhere, but not without a connection: the page would become
 * an error.
 */
export function useChange(): RunChange {
  const getClient = useClient();
  const { revalidate } = useRevalidator();
  return async (change) => {
    try {
      const result = await change(await getClient());
      await revalidate();
      return result;
    } catch (error) {
      if (!isUnreachable(findErrorCode(error))) await revalidate();
      throw error;
    }
  };
}
