import type { Sql } from 'postgres';
import { connectDatabase, type DatabaseAddress } from '../postgres/index.ts';
import { realtimeLimits } from './limits.ts';

/**
 * Connects as supabase_realtime_admin, which switches to the user's role within
 * `realtime.find_rights` and the like.
 */
export function connectRealtime(address: DatabaseAddress): Sql {
  return connectDatabase(address, {
    max: realtimeLimits.connections,
    backoff: () => 0.2,
    connect_timeout: 3,
    idle_timeout: 60,
    fetch_types: false,
    connection: { TimeZone: 'UTC' },
  });
}
